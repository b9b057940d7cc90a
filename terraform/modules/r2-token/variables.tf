variable "account_id" {
  description = "The Cloudflare account."
  type        = string
}

variable "name" {
  description = "The token's name, which Cloudflare shows; its generation is added."
  type        = string
}

variable "permission_group_id" {
  description = "The id of Cloudflare's permission group Workers R2 Storage Bucket Item Write."
  type        = string

  validation {
    condition     = can(regex("^[0-9a-f]{32}$", var.permission_group_id))
    error_message = "permission_group_id must be the 32 hexadecimal digits of a Cloudflare permission group."
  }
}

variable "bucket_resources" {
  description = "The buckets the token opens, as the output token_resource of the module r2-bucket names them."
  type        = set(string)

  validation {
    condition     = length(var.bucket_resources) > 0 && alltrue([for resource in var.bucket_resources : startswith(resource, "com.cloudflare.edge.r2.bucket.")])
    error_message = "bucket_resources must name one bucket or more: a token without one would be refused, one for the account opens everything."
  }
}

variable "generations" {
  description = "The tokens there are. [1] at first; to rotate [1, 2], and when that is deployed [2]."
  type        = list(number)
  default     = [1]

  validation {
    condition     = contains([1, 2], length(var.generations)) && alltrue([for number in var.generations : number >= 1 && floor(number) == number])
    error_message = "generations must be one or two whole numbers from 1 on."
  }
}
