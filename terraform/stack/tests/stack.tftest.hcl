mock_provider "cloudflare" {
  mock_resource "cloudflare_account_token" {
    defaults = { id = "token-id", value = "token" }
  }
}

mock_provider "google" {}

variables {
  functions_folder             = "../../functions"
  packages_folder              = "../../dist"
  observability_folder         = "../../shared/observability"
  environment                  = "staging"
  project_id                   = "example-archive"
  project_number               = "123456789012"
  cloudflare_account_id        = "0123456789abcdef0123456789abcdef"
  r2_write_permission_group_id = "2efd5506f9c8494dacb1fa10a3e7d5b6"
  paperless_url                = "https://paperless.example.com"
  application_service_accounts = ["application@example-archive.iam.gserviceaccount.com"]
  operators                    = ["group:operators@example.com"]
  alert_email                  = "alerts@example.com"
  database_tier                = "db-custom-2-7680"
  receipt_public_keys          = { "66687aadf862bd77" = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" }
  secret_versions              = { PAPERLESS_API_TOKEN = 1, RECEIPT_SIGNING_KEY = 1 }
  secret_values                = { PAPERLESS_API_TOKEN = "token", RECEIPT_SIGNING_KEY = "key" }
}

run "stages_documents_on_r2" {
  command = plan

  assert {
    condition     = output.buckets == { queue = "bilko-archive-queue", dlq = "bilko-archive-dlq" }
    error_message = "The buckets have the names of the specification."
  }

  assert {
    condition     = local.environment["archive-write"].AWS_S3_ENDPOINT == "https://0123456789abcdef0123456789abcdef.eu.r2.cloudflarestorage.com"
    error_message = "The endpoint is that of the jurisdiction."
  }

  assert {
    condition     = length(module.gcs_bucket) == 0
    error_message = "There is one queue."
  }
}

run "stages_documents_on_cloud_storage" {
  command = plan

  variables {
    queue_backend           = "gcs"
    bucket_prefix           = "example-archive"
    paperless_behind_access = false
  }

  assert {
    condition     = length(module.r2_bucket) == 0 && length(module.r2_token) == 0 && length(module.paperless_access) == 0
    error_message = "Nothing of Cloudflare is left."
  }

  assert {
    condition     = local.environment["archiver-drain"].QUEUE_BACKEND == "gcs" && !contains(keys(local.environment["archiver-drain"]), "AWS_S3_ENDPOINT")
    error_message = "Functions are told to use Cloud Storage."
  }
}

run "takes_an_internal_key_and_a_tuning_where_they_are_given" {
  command = plan

  variables {
    secret_versions = { PAPERLESS_API_TOKEN = 1, RECEIPT_SIGNING_KEY = 1, INTERNAL_API_KEY = 4 }
    secret_values   = { PAPERLESS_API_TOKEN = "token", RECEIPT_SIGNING_KEY = "key", INTERNAL_API_KEY = "internal" }
    tuning          = { PAPERLESS_WINDOW = "8" }
  }

  assert {
    condition     = local.secret_environment["audit-callback"].INTERNAL_API_KEY.secret_id == "bilko-internal-api-key"
    error_message = "Functions that declare the key read it."
  }

  assert {
    condition     = local.environment["archiver-drain"].PAPERLESS_WINDOW == "8" && !contains(keys(local.environment["audit-callback"]), "PAPERLESS_WINDOW")
    error_message = "A tuning reaches those who declare it."
  }
}

run "refuses_wrong_values" {
  command = plan

  variables {
    project_id                        = "Example"
    project_number                    = "twelve"
    region                            = "europe"
    environment                       = "Production!"
    source_prefix                     = "Bilko"
    application_service_accounts      = ["serviceAccount:application@example-archive.iam.gserviceaccount.com"]
    operators                         = ["allUsers"]
    log_level                         = "TRACE"
    alert_email                       = "nobody"
    runbook_url                       = "http://example.com"
    queue_backend                     = "s3"
    bucket_prefix                     = "B"
    dlq_retention_days                = 3
    cloudflare_account_id             = "account"
    r2_jurisdiction                   = "europe"
    r2_write_permission_group_id      = "write"
    r2_token_generations              = []
    database_tier                     = "large"
    migrators                         = ["allAuthenticatedUsers"]
    qdrant_url                        = "qdrant"
    paperless_url                     = "http://paperless.example.com/"
    access_secret_version             = 0
    access_previous_secret_expires_at = "tomorrow"
    receipt_public_keys               = {}
  }

  expect_failures = [
    var.project_id, var.project_number, var.region, var.environment, var.source_prefix,
    var.application_service_accounts, var.operators, var.log_level, var.alert_email, var.runbook_url,
    var.queue_backend, var.bucket_prefix, var.dlq_retention_days, var.cloudflare_account_id, var.r2_jurisdiction,
    var.r2_write_permission_group_id, var.r2_token_generations, var.database_tier, var.migrators, var.qdrant_url,
    var.paperless_url, var.access_secret_version, var.access_previous_secret_expires_at, var.receipt_public_keys,
  ]
}

run "refuses_secrets_without_their_values" {
  command = plan

  variables {
    secret_values = { PAPERLESS_API_TOKEN = "token", RECEIPT_SIGNING_KEY = " " }
  }

  expect_failures = [var.secret_values]
}

run "refuses_to_do_without_the_paperless_token" {
  command = plan

  variables {
    secret_versions = { RECEIPT_SIGNING_KEY = 1 }
  }

  expect_failures = [var.secret_versions]
}

run "refuses_to_tune_what_the_stack_decides" {
  command = plan

  variables {
    tuning = { QUEUE_BACKEND = "gcs" }
  }

  expect_failures = [var.tuning]
}
