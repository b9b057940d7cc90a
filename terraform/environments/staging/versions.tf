terraform {
  required_version = ">= 1.11"

  required_providers {
    cloudflare = {
      source  = "cloudflare/cloudflare"
      version = ">= 5.19, < 6.0"
    }
    google = {
      source  = "hashicorp/google"
      version = ">= 7.26, < 8.0"
    }
  }
}
