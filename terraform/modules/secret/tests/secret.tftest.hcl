mock_provider "google" {}

variables {
  project_id = "example-project"
  region     = "europe-west1"
  secret_id  = "bilko-archiver-paperless-api-token"
  value      = "a-token-of-paperless"
  generation = 3
}

run "stays_in_its_region" {
  command = plan

  assert {
    condition     = google_secret_manager_secret.this.replication[0].user_managed[0].replicas[0].location == "europe-west1"
    error_message = "The secret is kept where the functions are."
  }
}

run "is_written_and_not_kept" {
  command = apply

  assert {
    condition     = google_secret_manager_secret_version.this.secret_data == null && google_secret_manager_secret_version.this.secret_data_wo == null
    error_message = "The state holds no value."
  }

  assert {
    condition     = google_secret_manager_secret_version.this.secret_data_wo_version == 3
    error_message = "The generation says when a value is sent."
  }
}

run "refuses_wrong_values" {
  command = plan

  variables {
    secret_id  = "Paperless Token"
    value      = "  "
    generation = 0
  }

  expect_failures = [var.secret_id, var.value, var.generation]
}
