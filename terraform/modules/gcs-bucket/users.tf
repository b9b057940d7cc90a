resource "google_storage_bucket_iam_member" "user" {
  for_each = var.users

  bucket = google_storage_bucket.this.name
  role   = "roles/storage.objectUser"
  member = each.value
}
