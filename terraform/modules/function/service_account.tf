locals {
  member = "serviceAccount:${var.service_account_email}"
}

resource "google_service_account_iam_member" "signs_uploads" {
  count = var.signs_uploads ? 1 : 0

  # An upload's address on Cloud Storage is signed by the account itself.
  service_account_id = "projects/${var.project_id}/serviceAccounts/${var.service_account_email}"
  role               = "roles/iam.serviceAccountTokenCreator"
  member             = local.member
}
