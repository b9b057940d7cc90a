# Credentials come from the environment: gcloud's application-default login, and CLOUDFLARE_API_TOKEN.
provider "google" {
  project = var.project_id
  region  = "europe-west1"
}

provider "cloudflare" {}
