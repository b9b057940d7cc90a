config {
  call_module_type = "local"
}

plugin "terraform" {
  enabled = true
  preset  = "all"
}

rule "terraform_naming_convention" {
  enabled = true
}

rule "terraform_documented_variables" {
  enabled = true
}

rule "terraform_documented_outputs" {
  enabled = true
}

# Files are named by what is in them, not main.tf, variables.tf and outputs.tf alone.
rule "terraform_standard_module_structure" {
  enabled = false
}

# The environments pass on what the stack describes and validates.
rule "terraform_unused_required_providers" {
  enabled = true
}
