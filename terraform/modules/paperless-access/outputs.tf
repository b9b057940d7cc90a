output "client_id" {
  description = "The value of the header CF-Access-Client-Id."
  value       = cloudflare_zero_trust_access_service_token.this.client_id
  sensitive   = true
}

output "client_secret" {
  description = "The value of the header CF-Access-Client-Secret."
  value       = cloudflare_zero_trust_access_service_token.this.client_secret
  sensitive   = true
}

output "generation" {
  description = "The number of the secret, by which it is versioned in Secret Manager."
  value       = var.secret_version
}

output "policy_id" {
  description = "The policy to add to the Access application in front of Paperless."
  value       = cloudflare_zero_trust_access_policy.this.id
}
