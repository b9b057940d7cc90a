mock_provider "cloudflare" {
  mock_resource "cloudflare_account_token" {
    defaults = {
      id    = "access-key"
      value = "token"
    }
  }
}

variables {
  account_id          = "0123456789abcdef0123456789abcdef"
  name                = "bilko archiver-drain"
  permission_group_id = "2efd5506f9c8494dacb1fa10a3e7d5b6"
  bucket_resources    = ["com.cloudflare.edge.r2.bucket.0123456789abcdef0123456789abcdef_eu_bilko-archive-queue"]
}

run "opens_its_buckets_and_no_other" {
  command = plan

  assert {
    condition     = keys(jsondecode(cloudflare_account_token.this["1"].policies[0].resources))[0] == "com.cloudflare.edge.r2.bucket.0123456789abcdef0123456789abcdef_eu_bilko-archive-queue" && length(jsondecode(cloudflare_account_token.this["1"].policies[0].resources)) == 1
    error_message = "The token is scoped to the bucket."
  }
}

run "hands_out_the_newest_token_while_the_last_one_still_works" {
  command = apply

  variables {
    generations = [1, 2]
  }

  assert {
    condition     = length(cloudflare_account_token.this) == 2 && output.generation == 2
    error_message = "During a rotation there are two."
  }

  assert {
    condition     = output.access_key_id == "access-key" && output.secret_access_key == sha256("token")
    error_message = "R2's S3 secret is the SHA-256 of the token."
  }
}

run "refuses_wrong_values" {
  command = plan

  variables {
    permission_group_id = "Workers R2 Storage Bucket Item Write"
    bucket_resources    = []
    generations         = [0]
  }

  expect_failures = [var.permission_group_id, var.bucket_resources, var.generations]
}
