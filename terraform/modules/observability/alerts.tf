locals {
  alerts   = jsondecode(file(var.alerts_file))
  policies = local.alerts.policies

  # Within the lines of its function, what a policy looks for.
  line_filters = { for id, policy in local.policies :
    id => "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=\"${policy.function}\" AND (${policy.filter})"
  }
  counted = { for id, policy in local.policies : id => policy if policy.kind != "log_match" }

  documentation = { for id, policy in local.policies : id => join("\n\n", [
    policy.means,
    "What to do first:",
    join("\n", [for number, move in policy.moves : "${number + 1}. ${move}"]),
  ]) }
}

# The comparison is in the filter, so that what is counted is the lines that are wrong.
resource "google_logging_metric" "alert" {
  for_each = local.counted

  project     = var.project_id
  name        = "alert_${each.key}"
  description = "Lines that the alert policy \"${each.value.title}\" counts."
  filter      = local.line_filters[each.key]

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "INT64"
    unit        = "1"
  }
}

resource "google_monitoring_alert_policy" "this" {
  for_each = local.policies

  project               = var.project_id
  display_name          = "${each.value.priority}: ${each.value.title}"
  combiner              = "OR"
  severity              = each.value.severity
  notification_channels = [google_monitoring_notification_channel.email.id]
  user_labels           = merge(var.labels, { policy = each.key })

  documentation {
    content   = local.documentation[each.key]
    mime_type = "text/markdown"
    subject   = "${each.value.priority}: ${each.value.title}"

    dynamic "links" {
      for_each = var.runbook_url[*]

      content {
        display_name = "Runbook"
        url          = links.value
      }
    }
  }

  alert_strategy {
    auto_close = "${local.alerts.auto_close_seconds}s"

    dynamic "notification_rate_limit" {
      for_each = each.value.kind == "log_match" ? [each.value.rate_limit_seconds] : []

      content {
        period = "${notification_rate_limit.value}s"
      }
    }
  }

  conditions {
    display_name = each.value.title

    dynamic "condition_threshold" {
      for_each = each.value.kind == "threshold" ? [each.value] : []

      content {
        filter          = "resource.type=\"cloud_run_revision\" AND metric.type=\"logging.googleapis.com/user/${google_logging_metric.alert[each.key].name}\""
        comparison      = "COMPARISON_GT"
        threshold_value = condition_threshold.value.threshold
        duration        = "${condition_threshold.value.duration_seconds}s"

        aggregations {
          alignment_period     = "${condition_threshold.value.window_seconds}s"
          per_series_aligner   = "ALIGN_SUM"
          cross_series_reducer = "REDUCE_SUM"
        }
      }
    }

    dynamic "condition_absent" {
      for_each = each.value.kind == "absence" ? [each.value] : []

      content {
        filter   = "resource.type=\"cloud_run_revision\" AND metric.type=\"logging.googleapis.com/user/${google_logging_metric.alert[each.key].name}\""
        duration = "${condition_absent.value.duration_seconds}s"

        # Reduced to one series: there is one per revision, and after a deployment the old one is silent for ever.
        aggregations {
          alignment_period     = "${condition_absent.value.window_seconds}s"
          per_series_aligner   = "ALIGN_RATE"
          cross_series_reducer = "REDUCE_SUM"
        }
      }
    }

    dynamic "condition_matched_log" {
      for_each = each.value.kind == "log_match" ? [each.value] : []

      content {
        filter = local.line_filters[each.key]
      }
    }
  }
}
