module "paperless_access" {
  count  = var.paperless_behind_access ? 1 : 0
  source = "../modules/paperless-access"

  account_id                 = var.cloudflare_account_id
  name                       = "${var.bucket_prefix}-archiver-worker"
  secret_version             = var.access_secret_version
  previous_secret_expires_at = var.access_previous_secret_expires_at
}
