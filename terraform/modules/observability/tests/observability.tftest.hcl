mock_provider "google" {}

variables {
  project_id   = "example-project"
  metrics_file = "tests/metrics.json"
  alerts_file  = "tests/alerts.json"
  functions    = ["archiver-drain", "dlq-alert"]
  alert_email  = "alerts@example.com"
  runbook_url  = "https://example.com/runbook"
}

run "counts_counters_and_collects_the_rest" {
  command = plan

  assert {
    condition     = google_logging_metric.counter["runs_total"].metric_descriptor[0].value_type == "INT64" && google_logging_metric.counter["runs_total"].label_extractors["function"] == "EXTRACT(jsonPayload.labels.function)"
    error_message = "A counter counts lines, by its labels."
  }

  assert {
    condition     = google_logging_metric.measure["depth"].value_extractor == "EXTRACT(jsonPayload.value)" && google_logging_metric.measure["depth"].metric_descriptor[0].value_type == "DISTRIBUTION"
    error_message = "A gauge's values are collected."
  }

  assert {
    condition     = google_logging_metric.measure["latency_seconds"].bucket_options[0].explicit_buckets[0].bounds == tolist([1, 5])
    error_message = "A histogram has the bounds of its file."
  }

  assert {
    condition     = google_logging_metric.measure["depth"].filter == "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=(\"archiver-drain\" OR \"dlq-alert\") AND jsonPayload.metric=\"depth\""
    error_message = "Only lines of our functions count."
  }
}

run "alerts_when_a_limit_is_passed_for_long_enough" {
  command = plan

  assert {
    condition     = google_monitoring_alert_policy.this["too_deep"].conditions[0].condition_threshold[0].duration == "900s" && google_monitoring_alert_policy.this["too_deep"].conditions[0].condition_threshold[0].threshold_value == 0 && google_monitoring_alert_policy.this["too_deep"].conditions[0].condition_threshold[0].aggregations[0].alignment_period == "360s"
    error_message = "The limits are those of the file."
  }

  assert {
    condition     = endswith(google_logging_metric.alert["too_deep"].filter, "service_name=\"archiver-drain\" AND (jsonPayload.metric=\"depth\" AND jsonPayload.value>500)")
    error_message = "The filter compares, within the function's lines."
  }
}

run "alerts_when_lines_stop_coming" {
  command = plan

  assert {
    condition     = google_monitoring_alert_policy.this["silent"].conditions[0].condition_absent[0].duration == "600s" && google_monitoring_alert_policy.this["silent"].conditions[0].condition_absent[0].aggregations[0].cross_series_reducer == "REDUCE_SUM"
    error_message = "All revisions count as one."
  }
}

run "alerts_at_once_on_a_line_and_then_waits" {
  command = plan

  assert {
    condition     = google_monitoring_alert_policy.this["refused"].severity == "CRITICAL" && google_monitoring_alert_policy.this["refused"].alert_strategy[0].notification_rate_limit[0].period == "3600s"
    error_message = "Once an hour at most."
  }

  assert {
    condition     = !contains(keys(google_logging_metric.alert), "refused")
    error_message = "A matched line needs no metric."
  }
}

run "says_what_it_means_and_what_to_do" {
  command = plan

  assert {
    condition     = alltrue([for policy in google_monitoring_alert_policy.this : strcontains(policy.documentation[0].content, "1. Look.\n2. Think.\n3. Act.") && policy.documentation[0].links[0].url == "https://example.com/runbook"])
    error_message = "Every alert carries its moves."
  }
}

run "refuses_wrong_values" {
  command = plan

  variables {
    alert_email  = "nobody"
    metrics_file = "tests/alerts.json"
    alerts_file  = "tests/metrics.json"
  }

  expect_failures = [var.alert_email, var.metrics_file, var.alerts_file]
}
