"""One page to explore a model in: self-contained HTML that works from the disk, without a network.

The page is made from ``explorer/`` at the top of the project and kept here as ``page.html``, so that nobody who uses
Python needs node; this room puts a model into it.
"""

from hypercone.explorer.page import explorer_page, write_page

__all__ = ["explorer_page", "write_page"]
