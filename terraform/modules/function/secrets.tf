resource "google_secret_manager_secret_iam_member" "reader" {
  for_each = var.secrets

  project   = var.project_id
  secret_id = each.value.secret_id
  role      = "roles/secretmanager.secretAccessor"
  member    = local.member
}
