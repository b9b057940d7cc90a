locals {
  migrator       = "migrator"
  migrator_email = "${google_service_account.migrator.account_id}@${var.project_id}.iam.gserviceaccount.com"
}

# Owns the tables. No function runs as this: people and pipelines take its place while they run scripts/prepare_database.
resource "google_service_account" "migrator" {
  project      = var.project_id
  account_id   = "database-migrator"
  display_name = "database-migrator"
  description  = "Changes the schema at a deployment, and nothing else."
}

resource "google_service_account_iam_member" "migrators" {
  for_each = var.migrators

  service_account_id = "projects/${var.project_id}/serviceAccounts/${local.migrator_email}"
  role               = "roles/iam.serviceAccountTokenCreator"
  member             = each.value
}
