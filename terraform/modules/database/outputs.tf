output "connection_name" {
  description = "The instance as connectors name it: project:region:instance."
  value       = "${var.project_id}:${var.region}:${google_sql_database_instance.this.name}"
}

output "database_name" {
  description = "The database in the instance."
  value       = google_sql_database.this.name
}

output "user_names" {
  description = "The users in PostgreSQL: the function's name, and the user's."
  value       = { for name in keys(var.clients) : name => google_sql_user.this[name].name }
}

output "migrator" {
  description = "Who changes the schema: the service account, and its user in PostgreSQL."
  value = {
    service_account = local.migrator_email
    user_name       = google_sql_user.this[local.migrator].name
  }
}

output "subnetwork" {
  description = "Through what functions reach the database."
  value = {
    network    = google_compute_network.this.name
    subnetwork = google_compute_subnetwork.functions.name
  }
}
