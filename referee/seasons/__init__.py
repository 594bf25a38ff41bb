"""Many matches at once: archives and folders, simulated designs, and a season in one page."""
