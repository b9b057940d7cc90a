# Each function runs as an account of its own.
resource "google_service_account" "function" {
  for_each = module.manifest.functions

  project      = var.project_id
  account_id   = each.key
  display_name = each.key
  description  = "The function ${each.key}, and nothing else, runs as this."

  depends_on = [google_project_service.needed]
}

resource "google_service_account" "scheduler" {
  project      = var.project_id
  account_id   = "scheduler"
  display_name = "scheduler"
  description  = "Cloud Scheduler calls functions as this."

  depends_on = [google_project_service.needed]
}

# People take this account's place to triage dead letters and to approve erasures: a token of a person's own cannot be
# made out to one function, and Google's audit log says who took it.
resource "google_service_account" "operators" {
  project      = var.project_id
  account_id   = "operators"
  display_name = "operators"
  description  = "Operators call functions as this."

  depends_on = [google_project_service.needed]
}

resource "google_service_account_iam_member" "operators" {
  for_each = var.operators

  service_account_id = "projects/${var.project_id}/serviceAccounts/${local.caller_emails.operators[0]}"
  role               = "roles/iam.serviceAccountOpenIdTokenCreator"
  member             = each.value
}

locals {
  # Written out, because the provider knows an address only after apply, and who may call whom should be in the plan.
  address = "${var.project_id}.iam.gserviceaccount.com"
  emails  = { for name, account in google_service_account.function : name => "${account.account_id}@${local.address}" }

  # For each name that function.json may list as an invoker: the addresses in the tokens that come in.
  caller_emails = merge(
    {
      application = var.application_service_accounts
      operators   = ["${google_service_account.operators.account_id}@${local.address}"]
      scheduler   = ["${google_service_account.scheduler.account_id}@${local.address}"]
    },
    { for name, email in local.emails : name => [email] },
  )

  # For each function: who may call it, by a name that is stable.
  invokers = { for name, it in module.manifest.functions : name => merge([
    for caller in it.invokers : {
      for email in local.caller_emails[caller] :
      caller == "application" ? "application ${email}" : caller => "serviceAccount:${email}"
    }
  ]...) }
}
