locals {
  # Cloud Run gives every service this address beside the one with a hash in it; it is known before the function exists.
  url = "https://${var.name}-${var.project_number}.${var.region}.run.app"
}

output "url" {
  description = "The address of the function, which is also the audience of tokens for it."
  value       = local.url
}
