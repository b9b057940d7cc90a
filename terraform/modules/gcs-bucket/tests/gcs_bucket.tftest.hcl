mock_provider "google" {}

variables {
  project_id        = "example-project"
  name              = "example-archive-dlq"
  location          = "europe-west1"
  expire_after_days = { "org/" = 7 }
  users             = { archiver-drain = "serviceAccount:archiver-drain@example-project.iam.gserviceaccount.com" }
}

run "keeps_nothing_that_was_deleted" {
  command = plan

  assert {
    condition     = google_storage_bucket.this.soft_delete_policy[0].retention_duration_seconds == 0
    error_message = "Soft delete is off."
  }

  assert {
    condition     = length(google_storage_bucket.this.versioning) == 0
    error_message = "Versioning is off, or an erased document would live on."
  }
}

run "is_never_public" {
  command = plan

  assert {
    condition     = google_storage_bucket.this.public_access_prevention == "enforced" && google_storage_bucket.this.uniform_bucket_level_access
    error_message = "No object can be made public."
  }
}

run "expires_only_under_the_prefix" {
  command = plan

  assert {
    condition     = [for rule in google_storage_bucket.this.lifecycle_rule : "${one(rule.condition).age} ${join(",", one(rule.condition).matches_prefix)}" if one(rule.action).type == "Delete"] == ["7 org/"]
    error_message = "Seven days, under org/ alone."
  }
}

run "is_used_by_those_it_names" {
  command = plan

  assert {
    condition     = google_storage_bucket_iam_member.user["archiver-drain"].role == "roles/storage.objectUser"
    error_message = "Objects may be used, the bucket not changed."
  }
}

run "refuses_wrong_values" {
  command = plan

  variables {
    name              = "Example_DLQ"
    users             = { everyone = "allUsers" }
    expire_after_days = { "org" = 0.5 }
  }

  expect_failures = [var.name, var.users, var.expire_after_days]
}
