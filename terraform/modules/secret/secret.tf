resource "google_secret_manager_secret" "this" {
  project   = var.project_id
  secret_id = var.secret_id
  labels    = var.labels

  replication {
    user_managed {
      replicas {
        location = var.region
      }
    }
  }

  # A version that was replaced is disabled at once and gone a day later: long enough to go back.
  version_destroy_ttl = "86400s"
}

resource "google_secret_manager_secret_version" "this" {
  secret                 = google_secret_manager_secret.this.id
  secret_data_wo         = var.value
  secret_data_wo_version = var.generation

  lifecycle {
    # The old version goes only when the functions already read the new one.
    create_before_destroy = true
  }
}
