"""What is decided from a replay: publishing, auditing, explaining, what would be otherwise."""
