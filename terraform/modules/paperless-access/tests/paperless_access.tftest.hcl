mock_provider "cloudflare" {
  mock_resource "cloudflare_zero_trust_access_service_token" {
    defaults = { id = "token-id" }
  }
}

variables {
  account_id = "0123456789abcdef0123456789abcdef"
  name       = "bilko-archiver-worker"
}

run "lets_this_token_through_and_no_person" {
  command = apply

  assert {
    condition     = cloudflare_zero_trust_access_policy.this.decision == "non_identity"
    error_message = "A service token is not an identity."
  }

  assert {
    condition     = [for rule in cloudflare_zero_trust_access_policy.this.include : rule.service_token.token_id] == ["token-id"]
    error_message = "The policy names this one token."
  }
}

run "keeps_the_secret_before_alive_during_a_rotation" {
  command = plan

  variables {
    secret_version             = 2
    previous_secret_expires_at = "2030-01-31T12:00:00Z"
  }

  assert {
    condition     = cloudflare_zero_trust_access_service_token.this.client_secret_version == 2 && output.generation == 2
    error_message = "The number of the secret is the number of its version."
  }
}

run "refuses_wrong_values" {
  command = plan

  variables {
    duration       = "one year"
    secret_version = 0.5
  }

  expect_failures = [var.duration, var.secret_version]
}

run "refuses_an_end_of_the_secret_before_that_is_no_time" {
  command = plan

  variables {
    previous_secret_expires_at = "tomorrow"
  }

  expect_failures = [var.previous_secret_expires_at]
}
