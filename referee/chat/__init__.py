"""Discord: channel exports in, announcements out."""
