"""What a match is, as data: its record and result, what went wrong, and both as JSON."""
