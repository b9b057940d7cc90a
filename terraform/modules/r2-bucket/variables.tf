variable "account_id" {
  description = "The Cloudflare account."
  type        = string

  validation {
    condition     = can(regex("^[0-9a-f]{32}$", var.account_id))
    error_message = "account_id must be the 32 hexadecimal digits of a Cloudflare account."
  }
}

variable "name" {
  description = "The bucket's name."
  type        = string

  validation {
    condition     = can(regex("^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$", var.name))
    error_message = "name must have 3 to 63 characters of a-z, 0-9 and -, and neither begin nor end with -."
  }
}

variable "jurisdiction" {
  description = "Where the bytes must stay by guarantee: eu, fedramp, or default for no guarantee."
  type        = string

  validation {
    condition     = contains(["default", "eu", "fedramp"], var.jurisdiction)
    error_message = "jurisdiction must be default, eu or fedramp."
  }
}

variable "location" {
  description = "Where R2 should place the bucket, a wish rather than a guarantee; null leaves it to the jurisdiction."
  type        = string
  default     = null

  validation {
    condition     = var.location == null ? true : contains(["apac", "eeur", "enam", "weur", "wnam", "oc"], var.location)
    error_message = "location must be apac, eeur, enam, weur, wnam or oc."
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
