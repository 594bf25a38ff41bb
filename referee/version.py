"""The version, in a module of its own so that the build and a start read it cheaply."""

__version__ = "0.1.0"
