locals {
  # The first word of a secret's name after the prefix; the drain is called the archiver there.
  secret_owners = { for name in keys(module.manifest.functions) : name => name == "archiver-drain" ? "archiver" : name }

  # What people put in, by the variable that reads it. Other variables give a secret the name they have themselves.
  given_names = {
    PAPERLESS_API_TOKEN = "archiver-paperless-api-token"
  }
  given_secrets = { for variable, generation in var.secret_versions : variable => {
    secret_id  = "${var.source_prefix}-${lookup(local.given_names, variable, lower(replace(variable, "_", "-")))}"
    generation = generation
  } }

  # What Terraform makes itself, by the name of the secret.
  r2_secrets = merge([for name, owner in local.secret_owners : {
    "${owner}-r2-access-key-id"     = { function = name, output = "access_key_id" }
    "${owner}-r2-secret-access-key" = { function = name, output = "secret_access_key" }
  } if contains(local.r2_users, name)]...)
  access_secrets = var.paperless_behind_access ? {
    "archiver-cf-access-client-id"     = "client_id"
    "archiver-cf-access-client-secret" = "client_secret"
  } : {}

  # All of them, as settings.tf names them.
  secrets = merge(module.given_secret, module.r2_secret, module.access_secret)
}

module "given_secret" {
  for_each = local.given_secrets
  source   = "../modules/secret"

  project_id = var.project_id
  region     = var.region
  labels     = local.labels
  secret_id  = each.value.secret_id
  generation = each.value.generation
  value      = lookup(var.secret_values, each.key, "")

  depends_on = [google_project_service.needed]
}

module "r2_secret" {
  for_each = local.r2_secrets
  source   = "../modules/secret"

  project_id = var.project_id
  region     = var.region
  labels     = local.labels
  secret_id  = "${var.source_prefix}-${each.key}"
  generation = module.r2_token[each.value.function].generation
  value      = module.r2_token[each.value.function][each.value.output]

  depends_on = [google_project_service.needed]
}

module "access_secret" {
  for_each = local.access_secrets
  source   = "../modules/secret"

  project_id = var.project_id
  region     = var.region
  labels     = local.labels
  secret_id  = "${var.source_prefix}-${each.key}"
  generation = module.paperless_access[0].generation
  value      = module.paperless_access[0][each.value]

  depends_on = [google_project_service.needed]
}
