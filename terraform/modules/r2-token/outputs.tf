locals {
  newest = max(var.generations...)
  token  = cloudflare_account_token.this[tostring(local.newest)]
}

output "generation" {
  description = "The number of the newest token, by which its secrets are versioned."
  value       = local.newest
}

output "access_key_id" {
  description = "The S3 access key of the newest token, which is the token's id."
  value       = local.token.id
  sensitive   = true
}

output "secret_access_key" {
  description = "The S3 secret of the newest token, which is the hash of the token's value."
  value       = sha256(local.token.value)
  sensitive   = true
}
