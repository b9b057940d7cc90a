output "name" {
  description = "The bucket's name, once it exists."
  value       = cloudflare_r2_bucket.this.name
}

output "token_resource" {
  description = "The bucket as the policies of Cloudflare's tokens name it."
  value       = "com.cloudflare.edge.r2.bucket.${var.account_id}_${var.jurisdiction}_${cloudflare_r2_bucket.this.name}"
}
