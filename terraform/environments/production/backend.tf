# Tokens that Cloudflare hands out are in the state: the bucket is private, versioned, and read by few.
terraform {
  backend "gcs" {
    bucket = "example-archive-production-state"
    prefix = "archivolt"
  }
}
