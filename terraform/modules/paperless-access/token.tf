resource "cloudflare_zero_trust_access_service_token" "this" {
  account_id = var.account_id
  name       = var.name
  duration   = var.duration

  # A new secret is made by raising the version; the one before works until the time given here.
  client_secret_version             = var.secret_version
  previous_client_secret_expires_at = var.previous_secret_expires_at
}
