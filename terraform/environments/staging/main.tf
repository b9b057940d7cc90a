module "stack" {
  source = "../../stack"

  environment                  = "staging"
  project_id                   = var.project_id
  project_number               = var.project_number
  cloudflare_account_id        = var.cloudflare_account_id
  r2_write_permission_group_id = var.r2_write_permission_group_id
  paperless_url                = var.paperless_url
  application_service_accounts = var.application_service_accounts
  operators                    = var.operators
  migrators                    = var.migrators
  alert_email                  = var.alert_email
  receipt_public_keys          = var.receipt_public_keys

  secret_values   = var.secret_values
  secret_versions = { PAPERLESS_API_TOKEN = 1, RECEIPT_SIGNING_KEY = 1 }

  bucket_prefix             = "bilko-staging"
  database_tier             = "db-f1-micro"
  database_highly_available = false
  deletion_protection       = false
  log_level                 = "DEBUG"
}
