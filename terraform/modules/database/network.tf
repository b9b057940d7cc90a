resource "google_compute_network" "this" {
  project                 = var.project_id
  name                    = var.name
  auto_create_subnetworks = false
}

# Each instance of a function takes addresses from here, and keeps them for some minutes after it has gone.
resource "google_compute_subnetwork" "functions" {
  project                  = var.project_id
  region                   = var.region
  name                     = "${var.name}-functions"
  network                  = google_compute_network.this.id
  ip_cidr_range            = var.functions_cidr
  private_ip_google_access = true
}

# The range in which Google places the database, and the peering that makes it reachable.
resource "google_compute_global_address" "services" {
  project       = var.project_id
  name          = "${var.name}-services"
  network       = google_compute_network.this.id
  purpose       = "VPC_PEERING"
  address_type  = "INTERNAL"
  prefix_length = 20
}

resource "google_service_networking_connection" "services" {
  network                 = google_compute_network.this.id
  service                 = "servicenetworking.googleapis.com"
  reserved_peering_ranges = [google_compute_global_address.services.name]
}
