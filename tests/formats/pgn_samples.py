"""Games in PGN as programs really write them: layouts, widths and bytes are theirs.

People, places and addresses are invented, and the moves are nobody's. Written for these tests, under the
licence of this project; each layout names the program whose files have it.
"""

from typing import Final

CHESS_COM: Final = """\
[Event "Live Chess"]
[Site "Chess.com"]
[Date "2026.03.01"]
[Round "-"]
[White "anna-b"]
[Black "otto_k"]
[Result "1-0"]
[CurrentPosition "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq -"]
[Timezone "UTC"]
[ECO "C60"]
[ECOUrl "https://www.chess.com/openings/Ruy-Lopez-Opening"]
[UTCDate "2026.03.01"]
[UTCTime "09:17:03"]
[WhiteElo "1990"]
[BlackElo "1845"]
[TimeControl "180"]
[Termination "anna-b won by resignation"]
[StartTime "09:17:03"]
[EndDate "2026.03.01"]
[EndTime "09:17:09"]
[Link "https://www.chess.com/game/live/900000001"]

1. e4 {[%clk 0:02:59.9]} 1... e5 {[%clk 0:02:59.4]} 2. Nf3 {[%clk 0:02:58]} 2... Nc6 {[%clk
0:02:57.6]} 3. Bb5 {[%clk 0:02:56.5]} 1-0

"""
"""chess.com, its published-data API: casual games have the same Event. A clock goes over two lines."""

CHESS_COM_DOWNLOADED: Final = """\
[Event "Live Chess"]
[Site "Chess.com"]
[Date "2026.03.02"]
[Round "?"]
[White "anna-b"]
[Black "otto_k"]
[Result "0-1"]
[TimeControl "600"]
[WhiteElo "1990"]
[BlackElo "1845"]
[EndTime "14:46:20 GMT+0000"]
[Termination "otto_k won by checkmate"]

1. f3 e5 2. Nc3 d5 3. Nb1 d4 4. Nh3 Nf6 5. Ng1 Nc6 6. Nh3 Be6 7. Ng1 Qd6 8. a3
O-O-O 9. a4 h5 10. g4 hxg4 11. fxg4 Nxg4 12. Nf3 0-1

"""
"""chess.com, downloaded from the archive of games: no address, and no time at which the game began."""

LICHESS: Final = """\
[Event "rated blitz game"]
[Site "https://lichess.org/aaaaAAA1"]
[Date "2026.03.01"]
[White "anna-b"]
[Black "otto_k"]
[Result "1/2-1/2"]
[GameId "aaaaAAA1"]
[UTCDate "2026.03.01"]
[UTCTime "10:00:00"]
[WhiteElo "2010"]
[BlackElo "1999"]
[WhiteRatingDiff "+0"]
[BlackRatingDiff "+0"]
[Variant "Standard"]
[TimeControl "180+2"]
[ECO "C20"]
[Termination "Normal"]

1. e4 { [%clk 0:03:00] } 1... e5 { [%clk 0:03:00] } 2. Ke2 { [%clk 0:03:01] } 2... Ke7 1/2-1/2


"""
"""lichess, exported since 2023: the Event in lower case, two empty lines between games."""

WEEKLY: Final = """\
[Event "Vinterpokal 2026"]
[Site "Tromsø NOR"]
[Date "2026.03.01"]
[Round "3.12"]
[White "Bergström,A"]
[Black "Müller,O"]
[Result "1-0"]
[WhiteElo "2310"]
[BlackElo "2295"]
[EventDate "2026.02.27"]
[WhiteFideId "1500001"]
[ECO "C20"]
[EventType "swiss"]

1. e4 e5 2. Ke2 Ke7 3. Ke1 Ke8 4. Ke2 Ke7 5. Ke1 Ke8 6. Nf3 Nf6 7. Nc3 Nc6 8. d3 d6
1-0

"""
"""The weekly magazines of games played over the board: in ISO 8859-1, with round and board, without a time,
a time control or an address. The result has a line of its own."""

CHESSBASE: Final = """\
[Event "Rated club match"]
[Site "Lund"]
[Date "2026.03.01"]
[Round "2"]
[White "Berg, Anna"]
[Black "Krog, Otto"]
[Result "1-0"]
[ECO "C20"]
[Annotator "Lind,M"]
[PlyCount "9"]
[TimeControl "900+10"]
[SetUp "1"]
[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"]

{ [%evp 0,9,19,19] The black squares ( -- and -- ) are weak. } 1. e4 e5 $6 {D} (1... c5
$1 2. -- (2. Z0 Nc6 N) 2... Nc6 {[#]} 3. Nf3 +/=) 2. Nf3 ( 2. f4 exf4 3. Kf2? d5 -+ (3... g5 = )
) 2... Nc6 $146 3. Bc4 ({ only move } 3. Bb5 {RR} 3. ... a6 @@@@) 3... Bc5
% a line for the program that wrote the file
4. Ke2 Nf6 5. Ke1

1-0

"""
"""ChessBase: null moves, letters for diagrams and signs of evaluation in variations, the FEN of the initial
position, a line of the escape, and a result after an empty line."""

CORPUS: Final = (CHESS_COM, CHESS_COM_DOWNLOADED, LICHESS, WEEKLY, CHESSBASE)
