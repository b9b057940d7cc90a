resource "google_storage_bucket_object" "package" {
  bucket = var.source_bucket
  # With its hash in the name, changed code is a new object, and the function is deployed again.
  name           = "${var.name}/${filesha256(var.package)}.zip"
  source         = var.package
  source_md5hash = filemd5(var.package)
  content_type   = "application/zip"

  lifecycle {
    create_before_destroy = true
  }
}
