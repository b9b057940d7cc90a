output "urls" {
  description = "The address of each function, which is also the audience of tokens for it."
  value       = { for name, function in module.function : name => function.url }

  precondition {
    condition     = length(local.unprovided) == 0
    error_message = join("\n", local.unprovided)
  }

  precondition {
    condition     = length(local.exposed) == 0
    error_message = join("\n", local.exposed)
  }
}

output "service_accounts" {
  description = "The service account of each function."
  value       = local.emails
}

output "operators_service_account" {
  description = "The service account whose place operators take to call functions."
  value       = local.caller_emails.operators[0]
}

output "buckets" {
  description = "The names of the buckets."
  value       = local.bucket_names
}

output "receipt_public_keys" {
  description = "The public halves of the keys that sign receipts, by their ids: with them anyone can check a receipt."
  value       = var.receipt_public_keys
}

output "paperless_access_policy_id" {
  description = "The policy to add to the Cloudflare Access application in front of Paperless; null if there is none."
  value       = one(module.paperless_access[*].policy_id)
}

output "database" {
  description = "What scripts/prepare_database needs to know: instance, database, who changes the schema, who uses it."
  value = {
    instance  = module.database.connection_name
    name      = module.database.database_name
    migrator  = module.database.migrator
    app_users = values(module.database.user_names)
  }
}
