"""Merging of two members in the league. Its figures belong to players, so none moves."""

from ratings.office.merging import moves

moves("league.Player.member")
