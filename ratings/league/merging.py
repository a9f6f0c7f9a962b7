"""What a merge of two members does with the league: its figures are those of players, so none moves."""

from ratings.office.merging import moves

moves("league.Player.member")
