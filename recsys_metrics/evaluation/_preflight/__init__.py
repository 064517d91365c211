"""Check an evaluation for faults before its numbers are used; `preflight` is the function."""
