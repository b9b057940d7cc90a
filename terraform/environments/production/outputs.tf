output "stack" {
  description = "What the stack says of itself; terraform/README.md lists it."
  value       = module.stack
}
