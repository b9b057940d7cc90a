# What settings.tf says, narrowed to what each function declares, and what it does not say.
locals {
  # Cloud Run gives a service this address before it exists, so that functions can be told of each other.
  urls = { for name in keys(module.manifest.functions) : name => "https://${name}-${var.project_number}.${var.region}.run.app" }

  r2_endpoint = "https://${var.cloudflare_account_id}.${var.r2_jurisdiction == "default" ? "" : "${var.r2_jurisdiction}."}r2.cloudflarestorage.com"

  declared = { for name, it in module.manifest.functions : name => concat(it.env, it.secrets) }

  tuned = { for name, values in local.settings : name => merge(values, var.tuning) }

  environment = { for name, it in module.manifest.functions : name => {
    for variable in it.env : variable => local.tuned[name][variable]
    if lookup(local.tuned[name], variable, null) != null
  } }

  secret_environment = { for name, variables in local.declared : name => {
    for variable in variables : variable => local.secrets[local.secret_settings[name][variable]]
    if lookup(local.secret_settings[name], variable, null) != null
  } }

  provided = { for name in keys(local.declared) : name => concat(keys(local.tuned[name]), keys(local.secret_settings[name])) }
  unprovided = flatten([for name, variables in local.declared : [
    for variable in setsubtract(variables, local.provided[name]) :
    "${name}/function.json names ${variable}, which nothing provides: add it to stack/settings.tf, or to secret_versions if it is a secret."
  ]])

  exposed = flatten([for name, it in module.manifest.functions : [
    for variable in setintersection(it.secrets, keys(local.tuned[name])) :
    "${variable} of ${name} is secret and must not be in plain sight: take it out of tuning, or of the first map of stack/settings.tf."
  ]])
}
