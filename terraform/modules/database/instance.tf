resource "google_sql_database_instance" "this" {
  project             = var.project_id
  region              = var.region
  name                = var.name
  database_version    = "POSTGRES_17"
  deletion_protection = var.deletion_protection

  settings {
    edition                     = "ENTERPRISE"
    tier                        = var.tier
    availability_type           = var.highly_available ? "REGIONAL" : "ZONAL"
    deletion_protection_enabled = var.deletion_protection
    user_labels                 = var.labels

    # Nobody without a client certificate of Google's connector comes in, whatever network he is in.
    connector_enforcement = "REQUIRED"

    ip_configuration {
      ipv4_enabled    = false
      private_network = google_compute_network.this.id
      ssl_mode        = "TRUSTED_CLIENT_CERTIFICATE_REQUIRED"
    }

    backup_configuration {
      enabled                        = true
      start_time                     = "02:00"
      point_in_time_recovery_enabled = true
      transaction_log_retention_days = 7

      backup_retention_settings {
        retained_backups = var.retained_backups
      }
    }

    maintenance_window {
      day  = 7
      hour = 3
    }

    insights_config {
      query_insights_enabled = true
    }

    database_flags {
      name  = "cloudsql.iam_authentication"
      value = "on"
    }

    database_flags {
      name  = "log_checkpoints"
      value = "on"
    }

    database_flags {
      name  = "log_connections"
      value = "on"
    }

    database_flags {
      name  = "log_disconnections"
      value = "on"
    }

    database_flags {
      name  = "log_lock_waits"
      value = "on"
    }
  }

  depends_on = [google_service_networking_connection.services]

  lifecycle {
    # A newer PostgreSQL is a decision of its own, made in the console and then written here.
    ignore_changes = [database_version]
  }
}

resource "google_sql_database" "this" {
  project         = var.project_id
  instance        = google_sql_database_instance.this.name
  name            = var.database_name
  deletion_policy = "ABANDON"
}
