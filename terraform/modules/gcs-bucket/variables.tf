variable "project_id" {
  description = "The Google Cloud project."
  type        = string
}

variable "name" {
  description = "The bucket's name, which must be free in all of Cloud Storage."
  type        = string

  validation {
    condition     = can(regex("^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$", var.name))
    error_message = "name must have 3 to 63 characters of a-z, 0-9 and -, and neither begin nor end with -."
  }
}

variable "location" {
  description = "The region, or multi-region, that holds the bytes."
  type        = string
}

variable "labels" {
  description = "Labels of the bucket."
  type        = map(string)
  default     = {}
}

variable "versioned" {
  description = "Whether replaced objects are kept as earlier versions."
  type        = bool
  default     = false
}

variable "users" {
  description = "Who reads, writes, lists and deletes objects: a name of your choice, and the member as IAM writes it."
  type        = map(string)
  default     = {}

  validation {
    condition     = alltrue([for member in values(var.users) : can(regex("^serviceAccount:[^@]+@[^@]+$", member))])
    error_message = "users must be service accounts, such as serviceAccount:someone@project.iam.gserviceaccount.com."
  }
}

variable "expire_after_days" {
  description = "Prefixes, and the days after which objects under them are deleted. Nothing else is ever deleted."
  type        = map(number)
  default     = {}

  validation {
    condition     = alltrue([for prefix, days in var.expire_after_days : endswith(prefix, "/") && days >= 1 && floor(days) == days])
    error_message = "expire_after_days must give whole days for prefixes that end with /: a rule without a prefix would empty the bucket."
  }
}
