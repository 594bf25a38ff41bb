"""What people look at: the terminal, a picture, a page."""
