"""The evening as it passes: dealing, the sheet kept in view, the Dealer's room at one instant."""
