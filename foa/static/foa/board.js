// Steps through the moves of a game. The page gives each move its position, its squares, its clock and its name; without
// this file its links lead to each position.

const SVG = "http://www.w3.org/2000/svg";
const FILES = "abcdefgh";
const BEAT = 1000;

// The 64 letters of a position, a8 first; a space is an empty square.
const lettersOf = (fen) => fen.split(" ")[0].replaceAll("/", "").replace(/\d/g, (count) => " ".repeat(count));

// "Kg1, Qd1, a2": the pieces of one side, the king first, as the server writes them.
function piecesOf(letters, order) {
  const found = [...letters].flatMap((letter, index) => {
    const rank = order.indexOf(letter);
    return rank < 0 ? [] : [[rank, FILES[index % 8] + (8 - Math.floor(index / 8))]];
  });
  found.sort((one, other) => one[0] - other[0] || (one[1] < other[1] ? -1 : 1));
  return found.map(([rank, square]) => "KQRBN".charAt(rank) + square).join(", ");
}

// How much more material White has, in pawns, as the server counts it.
const WORTH = { P: 1, N: 3, B: 3, R: 5, Q: 9 };
function ahead(letters) {
  const worth = (letter) => (letter === letter.toUpperCase() ? 1 : -1) * (WORTH[letter.toUpperCase()] ?? 0);
  return [...letters].reduce((sum, letter) => sum + worth(letter), 0);
}

function element(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// What a reader has chosen stays when a live page gets a new board: a move that isn't the last, and who is below.
let reading = null;
let turned = false;

// The board on the page, as the keys move it. They work on the whole page, except where they mean something else.
let keys = {};
const HAS_KEYS = "input, textarea, select, [contenteditable], [role=combobox], .pgn";
document.addEventListener("keydown", (event) => {
  const held = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
  if (held || event.defaultPrevented || event.target.closest(HAS_KEYS) || !keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});

function enliven(board) {
  const section = board.closest(".game-and-why");
  const find = (selector) => board.querySelector(selector);
  const [picture, caption, play, flip] = [".squares", "figcaption", "[data-play]", "[data-flip]"].map(find);
  const moves = [...section.querySelectorAll("[data-fen]")];
  let current = moves.findIndex((move) => move.hasAttribute("aria-current")) + 1;
  let timer = 0;

  const place = (x, y) => (turned ? { x: 7 - x, y: 7 - y } : { x, y });
  const placeOf = (square) => place(FILES.indexOf(square[0]), 8 - square[1]);

  // What a side had left after its last move up to this one.
  function clock(side) {
    // After the last move the clocks of a game in progress are those that its server told of.
    const { whiteLeft, blackLeft } = board.dataset;
    if (whiteLeft && current === moves.length) return side === 1 ? whiteLeft : blackLeft;
    const own = moves.slice(0, current).filter((move) => (move.cellIndex ?? move.parentElement.cellIndex) === side);
    return own.findLast((move) => move.dataset.left)?.dataset.left ?? "";
  }

  function draw() {
    const move = moves[current - 1];
    const letters = lettersOf(move ? move.dataset.fen : board.dataset.start);
    const men = [...letters].flatMap((letter, index) => {
      if (letter === " ") return [];
      const name = (letter < "a" ? "w" : "b") + letter.toUpperCase();
      const href = `${board.dataset.pieces}#${name}`;
      return [element("use", { href, ...place(index % 8, Math.floor(index / 8)), width: 1, height: 1 })];
    });
    const squares = move ? [move.dataset.squares.slice(0, 2), move.dataset.squares.slice(2)] : [];
    const marks = squares.map((one) => element("rect", { class: "mark", ...placeOf(one), width: 1, height: 1 }));
    find("[data-men]").replaceChildren(...men);
    find("[data-marks]").replaceChildren(...marks);
    const more = ahead(letters);
    find("[data-material=white]").textContent = more > 0 ? `+${more}` : "";
    find("[data-material=black]").textContent = more < 0 ? `+${-more}` : "";
    find("[data-clock=white]").textContent = clock(1);
    find("[data-clock=black]").textContent = clock(2);
    picture.setAttribute(
      "aria-label",
      board.dataset.words
        .replace("{white}", piecesOf(letters, "KQRBNP"))
        .replace("{black}", piecesOf(letters, "kqrbnp")),
    );
    caption.textContent = move ? move.dataset.name : board.dataset.startName;
  }

  function show(index) {
    moves[current - 1]?.removeAttribute("aria-current");
    current = Math.min(Math.max(index, 0), moves.length);
    reading = current === moves.length ? null : current;
    draw();
    if (current === moves.length) pause();
    moves[current - 1]?.setAttribute("aria-current", "true");
    // Only the list of moves scrolls, not the page. The initial position is above the first move.
    scrollTo(moves[Math.max(current, 1) - 1]);
  }

  function scrollTo(move) {
    const list = move?.closest(".moves");
    if (!list) return;
    const above = move.getBoundingClientRect().top - list.getBoundingClientRect().top;
    list.scrollTop += above - list.clientHeight / 2;
  }

  function pause() {
    clearInterval(timer);
    timer = 0;
    play.setAttribute("aria-pressed", "false");
  }

  function start() {
    if (current === moves.length) show(0);
    timer = setInterval(() => show(current + 1), BEAT);
    play.setAttribute("aria-pressed", "true");
  }

  const places = {
    Home: () => 0,
    ArrowLeft: () => current - 1,
    ArrowRight: () => current + 1,
    End: () => moves.length,
  };

  function jump(index) {
    pause();
    show(index);
  }

  function go(event, index) {
    event.preventDefault();
    jump(index);
  }

  board.tabIndex = 0;
  board.setAttribute("role", "group");
  board.setAttribute("aria-label", board.dataset.board);
  keys = Object.fromEntries(Object.entries(places).map(([key, place]) => [key, () => jump(place())]));
  section.addEventListener("click", (event) => {
    const step = event.target.closest("[data-go]");
    const index = moves.indexOf(event.target.closest("[data-fen]"));
    if (step) go(event, places[step.dataset.go]());
    else if (index >= 0) go(event, index + 1);
  });
  // Nothing moves by itself for those who asked for less motion.
  play.hidden = matchMedia("(prefers-reduced-motion: reduce)").matches;
  play.addEventListener("click", () => (timer ? pause() : start()));
  flip.hidden = false;
  function turn() {
    board.classList.toggle("turned", turned);
    flip.setAttribute("aria-pressed", turned);
    const texts = [...find(".coordinates").children].map((text) => text.textContent);
    const names = [...texts.slice(0, 8).reverse(), ...texts.slice(8).reverse()];
    [...find(".coordinates").children].forEach((text, index) => {
      text.textContent = names[index];
    });
    draw();
  }

  flip.addEventListener("click", () => {
    turned = !turned;
    turn();
  });
  // Touch: the right half of the board is the next move, the left half the one before.
  picture.addEventListener("click", (event) => {
    const { left, width } = picture.getBoundingClientRect();
    go(event, event.clientX - left < width / 2 ? current - 1 : current + 1);
  });
  if (turned) turn();
  if (reading !== null) show(reading);
  else if (moves[current - 1]) scrollTo(moves[current - 1]);
}

document.querySelectorAll("[data-board]").forEach(enliven);
document.addEventListener("htmx:load", (event) => {
  // The first time it tells of the whole page.
  if (event.target !== document.body) event.target.querySelectorAll("[data-board]").forEach(enliven);
});
