"""A match as one HTML page to step through: everything for the host, or what players may see.

`host` and `public` put a match into the words and numbers of `model`; `document` makes the file.
The scripts beside them only draw what they find and move through it: no rule is known there.
"""
