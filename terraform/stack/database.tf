module "database" {
  source = "../modules/database"

  project_id          = var.project_id
  region              = var.region
  labels              = local.labels
  tier                = var.database_tier
  highly_available    = var.database_highly_available
  deletion_protection = var.deletion_protection
  clients             = { for name in module.manifest.database_clients : name => local.emails[name] }
  migrators           = var.migrators

  depends_on = [google_project_service.needed]
}
