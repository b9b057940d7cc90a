output "secret_id" {
  description = "The secret's name."
  value       = google_secret_manager_secret.this.secret_id
}

output "version" {
  description = "The number of the newest version, by which functions read it."
  value       = google_secret_manager_secret_version.this.version
}
