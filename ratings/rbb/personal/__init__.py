"""Personal data of members: exported for them, and erased when they leave."""

from ratings.rbb.personal.erasing import Erased, erase_member
from ratings.rbb.personal.exporting import export_pieces, export_response

__all__ = ["Erased", "erase_member", "export_pieces", "export_response"]
