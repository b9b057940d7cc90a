mock_provider "cloudflare" {}

variables {
  account_id        = "0123456789abcdef0123456789abcdef"
  name              = "bilko-archive-dlq"
  jurisdiction      = "eu"
  expire_after_days = { "org/" = 7 }
}

run "expires_what_it_is_told_after_so_many_seconds" {
  command = plan

  assert {
    condition     = [for rule in cloudflare_r2_bucket_lifecycle.this.rules : rule.delete_objects_transition.condition.max_age if rule.delete_objects_transition != null] == [604800]
    error_message = "7 days are 604800 seconds."
  }

  assert {
    condition     = [for rule in cloudflare_r2_bucket_lifecycle.this.rules : rule.conditions.prefix if rule.delete_objects_transition != null] == ["org/"]
    error_message = "The rule is for org/ and nothing else: kept/ never expires."
  }
}

run "keeps_the_rule_that_ends_abandoned_uploads" {
  command = plan

  variables {
    expire_after_days = {}
  }

  assert {
    condition     = [for rule in cloudflare_r2_bucket_lifecycle.this.rules : rule.abort_multipart_uploads_transition.condition.max_age] == [604800]
    error_message = "R2's own rule stays, and is alone in a bucket that expires nothing."
  }
}

run "stays_in_its_jurisdiction" {
  command = plan

  assert {
    condition     = cloudflare_r2_bucket.this.jurisdiction == "eu" && cloudflare_r2_bucket_lifecycle.this.jurisdiction == "eu"
    error_message = "Bucket and rules are in the jurisdiction."
  }

  assert {
    condition     = output.token_resource == "com.cloudflare.edge.r2.bucket.0123456789abcdef0123456789abcdef_eu_bilko-archive-dlq"
    error_message = "A token names account, jurisdiction and bucket."
  }
}

run "refuses_wrong_values" {
  command = plan

  variables {
    account_id        = "my-account"
    name              = "Bilko_Queue"
    jurisdiction      = "europe"
    location          = "europe-west1"
    expire_after_days = { "" = 7 }
  }

  expect_failures = [var.account_id, var.name, var.jurisdiction, var.location, var.expire_after_days]
}
