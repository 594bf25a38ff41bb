"""The engine: the rules of Pig Starvation as pure functions over a record."""
