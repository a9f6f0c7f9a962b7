// Steps through the moves of a game. The page gives each move its position (data-fen) and its name.

const LETTERS = "KQRBNPkqrbnp";
const GLYPHS = "♔♕♖♗♘♙♚♛♜♝♞♟";

// The variation selector asks for the glyph of text: browsers would show a pawn as an emoji.
const glyphOf = (letter) => (letter === " " ? "" : `${GLYPHS[LETTERS.indexOf(letter)]}\uFE0E`);

// The 64 letters of a position, a8 first; a space is an empty square.
const lettersOf = (fen) => fen.split(" ")[0].replaceAll("/", "").replace(/\d/g, (count) => " ".repeat(count));

// "Kg1, Qd1, a2": the pieces of one side, the king first, as the server writes them.
function piecesOf(letters, order) {
  const found = [...letters].flatMap((letter, index) => {
    const rank = order.indexOf(letter);
    if (rank < 0) return [];
    const square = "abcdefgh"[index % 8] + (8 - Math.floor(index / 8));
    return [[rank, square]];
  });
  found.sort((one, other) => one[0] - other[0] || (one[1] < other[1] ? -1 : 1));
  return found.map(([rank, square]) => "KQRBN".charAt(rank) + square).join(", ");
}

document.querySelectorAll("[data-board]").forEach((board) => {
  const section = board.closest("section");
  const squares = board.querySelectorAll(".light, .dark");
  const picture = board.querySelector(".squares");
  const caption = board.querySelector("figcaption");
  const buttons = board.querySelector(".board-buttons");
  const moves = [...section.querySelectorAll("[data-fen]")];
  let current = moves.length;

  function show(index) {
    moves[current - 1]?.removeAttribute("aria-current");
    current = Math.min(Math.max(index, 0), moves.length);
    const move = moves[current - 1];
    const letters = lettersOf(move ? move.dataset.fen : board.dataset.start);
    squares.forEach((square, number) => {
      square.textContent = glyphOf(letters[number]);
    });
    picture.setAttribute(
      "aria-label",
      board.dataset.pieces
        .replace("{white}", piecesOf(letters, "KQRBNP"))
        .replace("{black}", piecesOf(letters, "kqrbnp")),
    );
    caption.textContent = move ? move.dataset.name : board.dataset.startName;
    if (!move) return;
    move.setAttribute("aria-current", "true");
    // Only the list of moves scrolls, not the page.
    const list = move.closest(".moves");
    list.scrollTop = move.offsetTop - list.clientHeight / 2;
  }

  const places = {
    Home: () => 0,
    ArrowLeft: () => current - 1,
    ArrowRight: () => current + 1,
    End: () => moves.length,
  };

  board.tabIndex = 0;
  board.setAttribute("aria-label", board.dataset.board);
  board.addEventListener("keydown", (event) => {
    if (!places[event.key]) return;
    event.preventDefault();
    show(places[event.key]());
  });
  buttons.hidden = false;
  buttons.addEventListener("click", (event) => {
    const button = event.target.closest("[data-go]");
    if (button) show(places[button.dataset.go]());
  });
  section.addEventListener("click", (event) => {
    const index = moves.indexOf(event.target.closest("[data-fen]"));
    if (index >= 0) show(index + 1);
  });
});
