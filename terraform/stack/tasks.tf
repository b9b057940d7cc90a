# A task only reminds processing of a run: the run's row is the truth, so a task that is lost is made up for by the tick.
resource "google_cloud_tasks_queue" "processing" {
  project  = var.project_id
  location = var.region
  name     = "processing"

  rate_limits {
    max_concurrent_dispatches = 10
    max_dispatches_per_second = 5
  }

  retry_config {
    max_attempts = 5
    min_backoff  = "10s"
    max_backoff  = "300s"
  }

  depends_on = [google_project_service.needed]
}

resource "google_cloud_tasks_queue_iam_member" "enqueuer" {
  for_each = toset([for name, it in module.manifest.functions : name if contains(it.env, "PROCESSING_QUEUE")])

  project  = var.project_id
  location = var.region
  name     = google_cloud_tasks_queue.processing.name
  role     = "roles/cloudtasks.enqueuer"
  member   = "serviceAccount:${local.emails[each.key]}"
}
