"""The referee of Pig Starvation."""
