resource "google_cloudfunctions2_function" "this" {
  project     = var.project_id
  location    = var.region
  name        = var.name
  description = var.description
  labels      = var.labels

  build_config {
    runtime           = var.runtime
    entry_point       = var.entry_point
    service_account   = var.build_service_account
    docker_repository = var.docker_repository

    environment_variables = {
      # The buildpack compiles our modules and then sets every file's time back, which makes bytecode that trusts times
      # stale at each cold start. With this variable Python writes bytecode that trusts the source's hash instead.
      SOURCE_DATE_EPOCH = "315532800"
    }

    source {
      storage_source {
        bucket = google_storage_bucket_object.package.bucket
        object = google_storage_bucket_object.package.name
      }
    }

    automatic_update_policy {}
  }

  service_config {
    service_account_email            = var.service_account_email
    available_memory                 = var.memory
    available_cpu                    = var.cpu
    timeout_seconds                  = var.timeout_seconds
    max_instance_request_concurrency = var.concurrency
    min_instance_count               = var.min_instances
    max_instance_count               = var.max_instances
    all_traffic_on_latest_revision   = true

    # Our functions call each other at their public addresses, so the network cannot tell them from others: who may
    # come in is decided by IAM. Scheduler alone is let in as internal traffic.
    ingress_settings = join(",", keys(var.invokers)) == "scheduler" ? "ALLOW_INTERNAL_ONLY" : "ALLOW_ALL"

    environment_variables = merge(var.environment, { LOG_EXECUTION_ID = "true" })

    dynamic "secret_environment_variables" {
      for_each = var.secrets

      content {
        key        = secret_environment_variables.key
        project_id = var.project_number
        secret     = secret_environment_variables.value.secret_id
        version    = secret_environment_variables.value.version
      }
    }

    direct_vpc_egress = var.subnetwork == null ? null : "VPC_EGRESS_PRIVATE_RANGES_ONLY"

    dynamic "direct_vpc_network_interface" {
      for_each = var.subnetwork[*]

      content {
        network    = direct_vpc_network_interface.value.network
        subnetwork = direct_vpc_network_interface.value.subnetwork
      }
    }
  }

  depends_on = [google_secret_manager_secret_iam_member.reader]
}
