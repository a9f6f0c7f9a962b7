"""Personal data of a member: its export, and its erasure when they leave (decision 0115)."""

from ratings.rbb.personal import records
from ratings.rbb.personal.erasing import Erased, erase_member
from ratings.rbb.personal.exporting import export_pieces, export_response

__all__ = ["Erased", "erase_member", "export_pieces", "export_response", "records"]
