resource "cloudflare_r2_bucket" "this" {
  account_id    = var.account_id
  name          = var.name
  jurisdiction  = var.jurisdiction
  location      = var.location
  storage_class = "Standard"

  lifecycle {
    prevent_destroy = true
  }
}
