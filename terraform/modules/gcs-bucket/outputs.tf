output "name" {
  description = "The bucket's name, once it exists."
  value       = google_storage_bucket.this.name
}
