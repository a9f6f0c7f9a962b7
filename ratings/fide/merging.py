"""Merging what FIDE's lists gave two members.

First ratings move with the opening ratings that they are the source of.
"""

from ratings.office.merging import moves

# The member was looked up once (RBB 3.4), under either account.
moves("fide.Determination.member")
