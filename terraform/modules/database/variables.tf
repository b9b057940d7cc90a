variable "project_id" {
  description = "The Google Cloud project."
  type        = string
}

variable "region" {
  description = "The region of the instance and of the functions that use it."
  type        = string
}

variable "name" {
  description = "The name of the instance and of its network. A deleted instance's name is not free again for a week."
  type        = string
  default     = "archivolt"

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{1,50}[a-z0-9]$", var.name))
    error_message = "name must have 3 to 52 characters of a-z, 0-9 and -, begin with a letter and not end with -."
  }
}

variable "database_name" {
  description = "The database in the instance."
  type        = string
  default     = "archivolt"
}

variable "labels" {
  description = "Labels of the instance."
  type        = map(string)
  default     = {}
}

variable "tier" {
  description = "The size of the machine, such as db-custom-2-7680 or db-f1-micro."
  type        = string

  validation {
    condition     = can(regex("^db-(f1-micro|g1-small|custom-[0-9]+-[0-9]+)$", var.tier))
    error_message = "tier must be db-f1-micro, db-g1-small or db-custom-<CPUs>-<MiB of memory>."
  }
}

variable "highly_available" {
  description = "Whether a second zone takes over when the first fails."
  type        = bool
  default     = true

  validation {
    condition     = !var.highly_available || startswith(var.tier, "db-custom-")
    error_message = "highly_available needs a tier with CPUs of its own, db-custom-…."
  }
}

variable "retained_backups" {
  description = "How many daily backups are kept; erased data is in them until they go."
  type        = number
  default     = 14

  validation {
    condition     = var.retained_backups >= 7 && var.retained_backups <= 365
    error_message = "retained_backups must be from 7, as many as the days one can go back to any second, to 365."
  }
}

variable "deletion_protection" {
  description = "Whether neither Terraform nor the console may delete the instance."
  type        = bool
  default     = true
}

variable "functions_cidr" {
  description = "The addresses for instances of functions; a /26 at least."
  type        = string
  default     = "10.8.0.0/24"

  validation {
    condition     = can(cidrhost(var.functions_cidr, 63)) && can(regex("^(10|172\\.(1[6-9]|2[0-9]|3[01])|192\\.168)\\.", var.functions_cidr))
    error_message = "functions_cidr must be a private range of a /26 or larger, such as 10.8.0.0/24: Cloud Run refuses less."
  }
}

variable "clients" {
  description = "The functions that use the database: the name, and the e-mail address of the service account."
  type        = map(string)

  validation {
    condition     = alltrue([for email in values(var.clients) : can(regex("^[^@:]+@[^@]+\\.iam\\.gserviceaccount\\.com$", email))]) && !contains(keys(var.clients), "migrator")
    error_message = "clients must be addresses of service accounts, and none of them called migrator."
  }
}

variable "migrators" {
  description = "Who may change the schema, as members such as group:platform@example.com."
  type        = set(string)
  default     = []

  validation {
    condition     = alltrue([for member in var.migrators : can(regex("^(user|group|serviceAccount):[^@]+@[^@]+$", member))])
    error_message = "migrators must be members such as group:platform@example.com."
  }
}
