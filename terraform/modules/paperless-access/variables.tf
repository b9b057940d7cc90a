variable "account_id" {
  description = "The Cloudflare account."
  type        = string
}

variable "name" {
  description = "The name of the service token and of its policy, as Cloudflare shows them."
  type        = string
}

variable "duration" {
  description = "How long the token is valid after it was made or renewed, in hours."
  type        = string
  default     = "8760h"

  validation {
    condition     = can(regex("^[1-9][0-9]*h$", var.duration))
    error_message = "duration must be in hours, such as 8760h."
  }
}

variable "secret_version" {
  description = "Counts the secrets there were: raise it to make another one."
  type        = number
  default     = 1

  validation {
    condition     = var.secret_version >= 1 && floor(var.secret_version) == var.secret_version
    error_message = "secret_version must be a whole number from 1 on."
  }
}

variable "previous_secret_expires_at" {
  description = "Until when the secret before still works after a rotation, such as 2030-01-31T12:00:00Z; null for none."
  type        = string
  default     = null

  validation {
    condition     = var.previous_secret_expires_at == null ? true : can(formatdate("YYYY", var.previous_secret_expires_at))
    error_message = "previous_secret_expires_at must be a time such as 2030-01-31T12:00:00Z."
  }

  validation {
    condition     = var.previous_secret_expires_at == null || var.secret_version > 1
    error_message = "previous_secret_expires_at makes sense only once secret_version is above 1."
  }
}
