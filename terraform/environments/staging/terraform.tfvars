# Examples throughout: put in your own before the first deployment.
project_id                   = "example-archive-staging"
project_number               = "100000000002"
cloudflare_account_id        = "0123456789abcdef0123456789abcdef"
r2_write_permission_group_id = "2efd5506f9c8494dacb1fa10a3e7d5b6"
paperless_url                = "https://paperless.staging.example.com"
application_service_accounts = ["application@example-archive-staging.iam.gserviceaccount.com"]
operators                    = ["group:operators@example.com"]
migrators                    = ["group:platform@example.com"]
alert_email                  = "alerts@example.com"
receipt_public_keys          = { "66687aadf862bd77" = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" }
