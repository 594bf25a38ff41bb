"""A match as one HTML page to step through: everything for the host, or what players may see.

What the page says is put into words here; the scripts beside it only draw it and move through it.
"""

from referee.views.page.document import write_document
from referee.views.page.host import host_page
from referee.views.page.public import public_page

__all__ = ["host_page", "public_page", "write_document"]
