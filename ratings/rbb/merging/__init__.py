"""Merging two accounts of one person, and separating them again."""

from ratings.rbb.merging.merge import Merged, merge_members, unmerge_members

__all__ = ["Merged", "merge_members", "unmerge_members"]
