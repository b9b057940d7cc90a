locals {
  instance  = "projects/${var.project_id}/instances/${google_sql_database_instance.this.name}"
  only_this = "resource.service == \"sqladmin.googleapis.com\" && resource.name == \"${local.instance}\""
  users     = merge(var.clients, { (local.migrator) = local.migrator_email })
  grants = { for pair in setproduct(keys(local.users), ["client", "instanceUser"]) : join("-", pair) => {
    member = "serviceAccount:${local.users[pair[0]]}"
    role   = "roles/cloudsql.${pair[1]}"
  } }
}

# Cloud SQL names a service account without the end of its address.
resource "google_sql_user" "this" {
  for_each = local.users

  project  = var.project_id
  instance = google_sql_database_instance.this.name
  name     = trimsuffix(each.value, ".gserviceaccount.com")
  type     = "CLOUD_IAM_SERVICE_ACCOUNT"

  # Functions get their rights inside the database, from scripts/prepare_database; it needs some itself to begin with.
  database_roles = each.key == local.migrator ? ["cloudsqlsuperuser"] : null

  # PostgreSQL does not let go of a user who owns or may do anything.
  deletion_policy = "ABANDON"
}

resource "google_project_iam_member" "user" {
  for_each = local.grants

  project = var.project_id
  role    = each.value.role
  member  = each.value.member

  condition {
    title      = "only ${google_sql_database_instance.this.name}"
    expression = local.only_this
  }
}
