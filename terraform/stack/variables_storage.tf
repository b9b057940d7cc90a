variable "queue_backend" {
  description = "Who holds the buckets: r2 (Cloudflare) or gcs (Google)."
  type        = string
  default     = "r2"

  validation {
    condition     = contains(["r2", "gcs"], var.queue_backend)
    error_message = "queue_backend must be r2 or gcs."
  }
}

variable "bucket_prefix" {
  description = "The beginning of the buckets' names. On gcs they must be free in all of Cloud Storage."
  type        = string
  default     = "bilko"

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{1,40}$", var.bucket_prefix))
    error_message = "bucket_prefix must have 2 to 41 characters of a-z, 0-9 and -, and begin with a letter."
  }
}

variable "dlq_retention_days" {
  description = "The days after which a dead letter is deleted; what is under a hold or in doubt is moved to kept/ before."
  type        = number
  default     = 7

  validation {
    condition     = var.dlq_retention_days >= 7 && var.dlq_retention_days <= 365 && floor(var.dlq_retention_days) == var.dlq_retention_days
    error_message = "dlq_retention_days must be whole days from 7, because dlq-alert looks after letters on day 6, to 365."
  }
}

variable "cloudflare_account_id" {
  description = "The Cloudflare account of the buckets and of Access."
  type        = string

  validation {
    condition     = can(regex("^[0-9a-f]{32}$", var.cloudflare_account_id))
    error_message = "cloudflare_account_id must be the 32 hexadecimal digits of a Cloudflare account."
  }
}

variable "r2_jurisdiction" {
  description = "Where R2 keeps the bytes by guarantee: eu, fedramp, or default for no guarantee. It cannot be changed later."
  type        = string
  default     = "eu"

  validation {
    condition     = contains(["default", "eu", "fedramp"], var.r2_jurisdiction)
    error_message = "r2_jurisdiction must be default, eu or fedramp."
  }
}

variable "r2_write_permission_group_id" {
  description = "The id of Cloudflare's permission group Workers R2 Storage Bucket Item Write."
  type        = string

  validation {
    condition     = can(regex("^[0-9a-f]{32}$", var.r2_write_permission_group_id))
    error_message = "r2_write_permission_group_id must be the 32 hexadecimal digits of a Cloudflare permission group."
  }
}

variable "r2_token_generations" {
  description = "The tokens each function has for its buckets. [1] at first; to rotate [1, 2], and when that is deployed [2]."
  type        = list(number)
  default     = [1]

  validation {
    condition     = contains([1, 2], length(var.r2_token_generations)) && alltrue([for number in var.r2_token_generations : number >= 1 && floor(number) == number])
    error_message = "r2_token_generations must be one or two whole numbers from 1 on."
  }
}

variable "database_tier" {
  description = "The size of the database's machine, such as db-custom-2-7680."
  type        = string

  validation {
    condition     = can(regex("^db-(f1-micro|g1-small|custom-[0-9]+-[0-9]+)$", var.database_tier))
    error_message = "database_tier must be db-f1-micro, db-g1-small or db-custom-<CPUs>-<MiB of memory>."
  }
}

variable "database_highly_available" {
  description = "Whether a second zone takes over when the database's first fails."
  type        = bool
  default     = true
}

variable "deletion_protection" {
  description = "Whether neither Terraform nor the console may delete the database."
  type        = bool
  default     = true
}

variable "migrators" {
  description = "Who may change the database's schema, as members such as group:platform@example.com."
  type        = set(string)
  default     = []

  validation {
    condition     = alltrue([for member in var.migrators : can(regex("^(user|group|serviceAccount):[^@]+@[^@]+$", member))])
    error_message = "migrators must be members such as group:platform@example.com."
  }
}

variable "qdrant_url" {
  description = "The address of Qdrant; null while no function searches."
  type        = string
  default     = null

  validation {
    condition     = var.qdrant_url == null ? true : startswith(var.qdrant_url, "https://")
    error_message = "qdrant_url must begin with https://."
  }
}
