mock_provider "google" {}

variables {
  project_id            = "example-project"
  project_number        = "123456789012"
  region                = "europe-west1"
  name                  = "archiver-drain"
  description           = "Delivers queued documents."
  service_account_email = "archiver-drain@example-project.iam.gserviceaccount.com"
  package               = "versions.tf" # any file will do: it is hashed, not opened
  source_bucket         = "example-source"
  entry_point           = "archiver_drain_function"
  build_service_account = "projects/example-project/serviceAccounts/builds@example-project.iam.gserviceaccount.com"
  docker_repository     = "projects/example-project/locations/europe-west1/repositories/functions"
  memory                = "1Gi"
  timeout_seconds       = 300
  concurrency           = 1
  environment           = { SOURCE_PREFIX = "bilko" }
  secrets               = { PAPERLESS_API_TOKEN = { secret_id = "bilko-archiver-paperless-api-token", version = "3" } }
  invokers              = { scheduler = "serviceAccount:scheduler@example-project.iam.gserviceaccount.com" }
  schedule = {
    cron            = "*/5 * * * *"
    path            = "/"
    body            = "{\"budgetSeconds\":240}"
    service_account = "scheduler@example-project.iam.gserviceaccount.com"
  }
}

run "runs_as_an_account_of_its_own" {
  command = plan

  assert {
    condition     = google_cloudfunctions2_function.this.service_config[0].service_account_email == "archiver-drain@example-project.iam.gserviceaccount.com"
    error_message = "The function runs as its own account."
  }

  assert {
    condition     = length(google_service_account_iam_member.signs_uploads) == 0
    error_message = "An account signs for itself only where that is asked."
  }
}

run "reads_exactly_the_secrets_it_names" {
  command = plan

  assert {
    condition     = [for grant in google_secret_manager_secret_iam_member.reader : "${grant.secret_id} ${grant.role} ${grant.member}"] == ["bilko-archiver-paperless-api-token roles/secretmanager.secretAccessor serviceAccount:archiver-drain@example-project.iam.gserviceaccount.com"]
    error_message = "There is one grant per secret."
  }

  assert {
    condition     = one(google_cloudfunctions2_function.this.service_config[0].secret_environment_variables).version == "3"
    error_message = "A secret is read in a version by number, so that a new one is a new deployment."
  }
}

run "waits_longer_than_the_function_may_take" {
  command = plan

  assert {
    condition     = google_cloud_scheduler_job.this[0].attempt_deadline == "330s"
    error_message = "The deadline is longer than the timeout of 300 s."
  }

  assert {
    condition     = google_cloud_scheduler_job.this[0].retry_config[0].retry_count == 3 && google_cloud_scheduler_job.this[0].retry_config[0].min_backoff_duration == "30s"
    error_message = "Three retries, 30 seconds apart."
  }

  assert {
    condition     = google_cloud_scheduler_job.this[0].http_target[0].oidc_token[0].audience == "https://archiver-drain-123456789012.europe-west1.run.app"
    error_message = "The token is for the service, not for one of its paths."
  }

  assert {
    condition     = base64decode(google_cloud_scheduler_job.this[0].http_target[0].body) == "{\"budgetSeconds\":240}"
    error_message = "The body arrives as it is written."
  }
}

run "is_internal_when_scheduler_alone_calls" {
  command = plan

  assert {
    condition     = google_cloudfunctions2_function.this.service_config[0].ingress_settings == "ALLOW_INTERNAL_ONLY"
    error_message = "Nobody outside has to reach it."
  }
}

run "is_guarded_by_iam_when_others_call" {
  command = plan

  variables {
    invokers = {
      archiver-drain = "serviceAccount:archiver-drain@example-project.iam.gserviceaccount.com"
      scheduler      = "serviceAccount:scheduler@example-project.iam.gserviceaccount.com"
    }
  }

  assert {
    condition     = google_cloudfunctions2_function.this.service_config[0].ingress_settings == "ALLOW_ALL"
    error_message = "Callers come over the public address."
  }

  assert {
    condition     = length(google_cloud_run_v2_service_iam_member.invoker) == 2 && length(google_cloud_run_v2_service_iam_member.everyone) == 0
    error_message = "Its invokers may call, nobody else."
  }
}

run "lets_everybody_in_only_when_public" {
  command = plan

  variables {
    public   = true
    invokers = {}
    schedule = null
  }

  assert {
    condition     = google_cloud_run_v2_service_iam_member.everyone[0].member == "allUsers"
    error_message = "A public function is open to all."
  }

  assert {
    condition     = length(google_cloud_scheduler_job.this) == 0
    error_message = "Without a schedule there is no job."
  }
}

run "reaches_private_addresses_through_the_subnetwork" {
  command = plan

  variables {
    subnetwork    = { network = "archivolt", subnetwork = "functions" }
    signs_uploads = true
  }

  assert {
    condition     = google_cloudfunctions2_function.this.service_config[0].direct_vpc_egress == "VPC_EGRESS_PRIVATE_RANGES_ONLY"
    error_message = "Only private addresses go through the network."
  }

  assert {
    condition     = google_service_account_iam_member.signs_uploads[0].member == "serviceAccount:archiver-drain@example-project.iam.gserviceaccount.com"
    error_message = "The account may sign as itself."
  }
}

run "names_the_object_by_its_content" {
  command = plan

  assert {
    condition     = google_storage_bucket_object.package.name == "archiver-drain/${filesha256("versions.tf")}.zip"
    error_message = "Changed code must be a new object."
  }
}

run "refuses_wrong_values" {
  command = plan

  variables {
    name                  = "Drain"
    service_account_email = "123456789012-compute@developer.gserviceaccount.com"
    package               = "not-built.zip"
    runtime               = "nodejs22"
    build_service_account = "builds@example-project.iam.gserviceaccount.com"
    docker_repository     = "functions"
    cpu                   = "0.5"
    concurrency           = 8
    min_instances         = 3
    max_instances         = 2
    secrets               = { SOURCE_PREFIX = { secret_id = "x", version = "1" } }
    invokers              = { everyone = "allUsers" }
    schedule              = { cron = "5 minutes", path = "", body = "{", service_account = "x" }
  }

  expect_failures = [
    var.name, var.service_account_email, var.package, var.runtime, var.build_service_account, var.docker_repository, var.cpu,
    var.max_instances, var.secrets, var.invokers, var.schedule,
  ]
}

run "refuses_to_be_scheduled_and_take_longer_than_scheduler_waits" {
  command = plan

  variables {
    timeout_seconds = 1800
  }

  expect_failures = [var.timeout_seconds]
}
