"""Two accounts of one person become one, and are two again."""

from ratings.rbb.merging import closures, parts, spans
from ratings.rbb.merging.merge import Merged, merge_members, unmerge_members

__all__ = ["Merged", "closures", "merge_members", "parts", "spans", "unmerge_members"]
