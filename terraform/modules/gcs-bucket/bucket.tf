resource "google_storage_bucket" "this" {
  project                     = var.project_id
  name                        = var.name
  location                    = var.location
  labels                      = var.labels
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"

  # On by default, it would keep what was deleted, or erased, for another seven days.
  soft_delete_policy {
    retention_duration_seconds = 0
  }

  dynamic "versioning" {
    for_each = var.versioned ? [true] : []

    content {
      enabled = true
    }
  }

  dynamic "lifecycle_rule" {
    for_each = var.expire_after_days

    content {
      action {
        type = "Delete"
      }

      condition {
        age            = lifecycle_rule.value
        matches_prefix = [lifecycle_rule.key]
      }
    }
  }

  lifecycle_rule {
    action {
      type = "AbortIncompleteMultipartUpload"
    }

    condition {
      age = 7
    }
  }

  lifecycle {
    prevent_destroy = true
  }
}
