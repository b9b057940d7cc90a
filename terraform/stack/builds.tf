resource "google_storage_bucket" "source" {
  project                     = var.project_id
  name                        = "${var.project_id}-function-source"
  location                    = var.region
  labels                      = local.labels
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"

  versioning {
    enabled = true
  }

  # What a rollback may want is kept; what nobody will deploy again is not.
  lifecycle_rule {
    action {
      type = "Delete"
    }

    condition {
      num_newer_versions         = 1
      days_since_noncurrent_time = 30
    }
  }

  depends_on = [google_project_service.needed]
}

resource "google_artifact_registry_repository" "functions" {
  project       = var.project_id
  location      = var.region
  repository_id = "functions"
  format        = "DOCKER"
  description   = "The images that functions are built into."
  labels        = local.labels

  cleanup_policies {
    id     = "delete-old"
    action = "DELETE"

    condition {
      older_than = "2592000s"
    }
  }

  cleanup_policies {
    id     = "keep-recent"
    action = "KEEP"

    most_recent_versions {
      keep_count = 5
    }
  }

  depends_on = [google_project_service.needed]
}

resource "google_service_account" "builds" {
  project      = var.project_id
  account_id   = "function-builds"
  display_name = "function-builds"
  description  = "Cloud Build makes images of functions as this."

  depends_on = [google_project_service.needed]
}

locals {
  builds_email  = "${google_service_account.builds.account_id}@${var.project_id}.iam.gserviceaccount.com"
  builds_member = "serviceAccount:${local.builds_email}"

  # Google copies a package into a bucket of its own before the build, which does not exist before the first one.
  readable_sources = [google_storage_bucket.source.name, "gcf-v2-sources-${var.project_number}-${var.region}"]
}

resource "google_project_iam_member" "builds_log" {
  project = var.project_id
  role    = "roles/logging.logWriter"
  member  = local.builds_member
}

resource "google_project_iam_member" "builds_read" {
  project = var.project_id
  role    = "roles/storage.objectViewer"
  member  = local.builds_member

  condition {
    title      = "only the functions' packages"
    expression = join(" || ", [for bucket in local.readable_sources : "resource.name.startsWith(\"projects/_/buckets/${bucket}\")"])
  }
}

resource "google_artifact_registry_repository_iam_member" "builds_write" {
  project    = var.project_id
  location   = var.region
  repository = google_artifact_registry_repository.functions.name
  role       = "roles/artifactregistry.writer"
  member     = local.builds_member
}
