mock_provider "google" {}

variables {
  project_id = "example-project"
  region     = "europe-west1"
  tier       = "db-custom-2-7680"
  clients    = { audit-callback = "audit-callback@example-project.iam.gserviceaccount.com" }
  migrators  = ["group:platform@example.com"]
}

run "has_no_public_address_and_wants_googles_certificates" {
  command = plan

  assert {
    condition     = !google_sql_database_instance.this.settings[0].ip_configuration[0].ipv4_enabled
    error_message = "The instance is private."
  }

  assert {
    condition     = google_sql_database_instance.this.settings[0].connector_enforcement == "REQUIRED"
    error_message = "Only connectors come in."
  }

  assert {
    condition     = contains([for flag in google_sql_database_instance.this.settings[0].database_flags : "${flag.name}=${flag.value}"], "cloudsql.iam_authentication=on")
    error_message = "Service accounts log in without a password."
  }
}

run "can_go_back_to_any_second_of_a_week" {
  command = plan

  assert {
    condition     = google_sql_database_instance.this.settings[0].backup_configuration[0].point_in_time_recovery_enabled && google_sql_database_instance.this.settings[0].backup_configuration[0].transaction_log_retention_days == 7
    error_message = "Point-in-time recovery is on."
  }

  assert {
    condition     = google_sql_database_instance.this.deletion_protection && google_sql_database_instance.this.settings[0].deletion_protection_enabled
    error_message = "Deletion is refused by Terraform and by Google."
  }
}

run "knows_functions_by_their_service_accounts" {
  command = plan

  assert {
    condition     = google_sql_user.this["audit-callback"].name == "audit-callback@example-project.iam" && google_sql_user.this["audit-callback"].type == "CLOUD_IAM_SERVICE_ACCOUNT"
    error_message = "The user is the service account, as Cloud SQL writes it."
  }

  assert {
    condition     = google_sql_user.this["audit-callback"].database_roles == null && google_sql_user.this["migrator"].database_roles[0] == "cloudsqlsuperuser"
    error_message = "Only the migrator has rights by itself."
  }

  assert {
    condition     = toset([for grant in google_project_iam_member.user : "${grant.role} ${grant.member}" if strcontains(grant.member, "audit-callback@")]) == toset(["roles/cloudsql.client serviceAccount:audit-callback@example-project.iam.gserviceaccount.com", "roles/cloudsql.instanceUser serviceAccount:audit-callback@example-project.iam.gserviceaccount.com"])
    error_message = "A client may connect and log in, nothing else."
  }

  assert {
    condition     = alltrue([for grant in google_project_iam_member.user : strcontains(grant.condition[0].expression, "projects/example-project/instances/archivolt")])
    error_message = "To this instance, not to others of the project."
  }
}

run "refuses_wrong_values" {
  command = plan

  variables {
    name             = "A"
    tier             = "large"
    retained_backups = 1
    functions_cidr   = "10.8.0.0/28"
    clients          = { audit-callback = "audit-callback" }
    migrators        = ["allUsers"]
  }

  expect_failures = [var.name, var.tier, var.retained_backups, var.functions_cidr, var.clients, var.migrators]
}

run "refuses_a_second_zone_for_a_shared_machine" {
  command = plan

  variables {
    tier             = "db-f1-micro"
    highly_available = true
  }

  expect_failures = [var.highly_available]
}
