"""The commands, one module each; every one is a thin layer over the library."""
