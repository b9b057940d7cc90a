locals {
  metrics  = jsondecode(file(var.metrics_file))
  counters = { for name, metric in local.metrics : name => metric if metric.kind == "counter" }
  measures = { for name, metric in local.metrics : name => metric if metric.kind != "counter" }

  # For gauges, depths and ages alike: from one to eleven days in seconds.
  gauge_buckets = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000]

  our_lines = "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=(${join(" OR ", [for name in var.functions : "\"${name}\""])})"
}

resource "google_logging_metric" "counter" {
  for_each = local.counters

  project          = var.project_id
  name             = each.key
  description      = each.value.description
  filter           = "${local.our_lines} AND jsonPayload.metric=\"${each.key}\""
  label_extractors = { for label in keys(each.value.labels) : label => "EXTRACT(jsonPayload.labels.${label})" }

  metric_descriptor {
    metric_kind  = "DELTA"
    value_type   = "INT64"
    unit         = each.value.unit
    display_name = each.key

    dynamic "labels" {
      for_each = each.value.labels

      content {
        key         = labels.key
        description = labels.value
        value_type  = "STRING"
      }
    }
  }
}

# Log-based metrics count lines or collect values. A gauge is collected, which is for charts: an alert on how high it
# stands counts the lines above the limit instead.
resource "google_logging_metric" "measure" {
  for_each = local.measures

  project          = var.project_id
  name             = each.key
  description      = each.value.description
  filter           = "${local.our_lines} AND jsonPayload.metric=\"${each.key}\""
  label_extractors = { for label in keys(each.value.labels) : label => "EXTRACT(jsonPayload.labels.${label})" }
  value_extractor  = "EXTRACT(jsonPayload.value)"

  metric_descriptor {
    metric_kind  = "DELTA"
    value_type   = "DISTRIBUTION"
    unit         = each.value.unit
    display_name = each.key

    dynamic "labels" {
      for_each = each.value.labels

      content {
        key         = labels.key
        description = labels.value
        value_type  = "STRING"
      }
    }
  }

  bucket_options {
    explicit_buckets {
      bounds = try(each.value.buckets, local.gauge_buckets)
    }
  }
}
