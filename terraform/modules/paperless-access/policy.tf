# Lets the token, and nobody by it, through to the application that guards Paperless, to which it is added there.
resource "cloudflare_zero_trust_access_policy" "this" {
  account_id = var.account_id
  name       = var.name
  decision   = "non_identity"
  include    = [{ service_token = { token_id = cloudflare_zero_trust_access_service_token.this.id } }]
}
