resource "google_cloud_run_v2_service_iam_member" "invoker" {
  for_each = var.invokers

  project  = var.project_id
  location = var.region
  name     = google_cloudfunctions2_function.this.name
  role     = "roles/run.invoker"
  member   = each.value

  lifecycle {
    # A function that is replaced gets a new service, without the roles of the old one.
    replace_triggered_by = [google_cloudfunctions2_function.this.id]
  }
}

resource "google_cloud_run_v2_service_iam_member" "everyone" {
  count = var.public ? 1 : 0

  project  = var.project_id
  location = var.region
  name     = google_cloudfunctions2_function.this.name
  role     = "roles/run.invoker"
  member   = "allUsers"

  lifecycle {
    replace_triggered_by = [google_cloudfunctions2_function.this.id]
  }
}
