resource "google_cloud_scheduler_job" "this" {
  count = var.schedule == null ? 0 : 1

  project     = var.project_id
  region      = var.region
  name        = var.name
  description = var.description
  schedule    = var.schedule.cron
  time_zone   = "Etc/UTC"
  paused      = var.schedule.paused

  # Longer than the function may take: a call given up while it still runs would be made a second time.
  attempt_deadline = "${var.timeout_seconds + 30}s"

  retry_config {
    retry_count          = 3
    min_backoff_duration = "30s"
  }

  http_target {
    http_method = "POST"
    uri         = "${local.url}${var.schedule.path}"
    headers     = { "Content-Type" = "application/json" }
    body        = base64encode(var.schedule.body)

    oidc_token {
      service_account_email = var.schedule.service_account
      audience              = local.url
    }
  }

  depends_on = [google_cloud_run_v2_service_iam_member.invoker]
}
