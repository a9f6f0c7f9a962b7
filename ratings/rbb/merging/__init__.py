"""Merging two accounts of one person, and separating them again."""

from ratings.rbb.merging import closures, inputs, spans
from ratings.rbb.merging.merge import Merged, merge_members, unmerge_members

__all__ = ["Merged", "closures", "inputs", "merge_members", "spans", "unmerge_members"]
