"""What axe finds on the page that is open, and whether the page fits the window."""

from axe_playwright_python.base import AXE_SCRIPT

WIDE, TABLET, NARROW = 1280, 768, 390
"""A window on a screen, one on a tablet, and one on a phone."""

REPEATED = [
    # The rows of a table come from one template: six of them stand for all.
    "tbody tr:nth-child(n+7)",
    # So do the tables in the admin's side menu: the first stands for all but the one that marks the page.
    # The first page of the admin has them all as its content, where they are looked at.
    "#nav-sidebar .module ~ .module:not(:has([aria-current]))",
]
# So do the operations of the API, of which one differs from another in its words alone.
OPERATIONS = [".reference > section:nth-child(n+7)"]
# Of these rules alone the answer depends on the colours and the width.
OF_THE_VIEW = ["color-contrast", "scrollable-region-focusable"]
# Axe reads the text of a colour anew for every element that has it, which is a fifth of its work.
COLOURS_READ_ONCE = """
(() => {
    const {prototype} = axe.commons.color.Color;
    const read = prototype.parseString;
    const known = new Map();
    prototype.parseString = function (text) {
        if (known.has(text)) return Object.assign(this, known.get(text));
        read.call(this, text);
        const {r, g, b, alpha} = this;
        known.set(text, {r, g, b, alpha});
        return this;
    };
})();
"""
AXE = AXE_SCRIPT + COLOURS_READ_ONCE
# Colours that change do so little by little. What is in order is a much longer answer, and nobody reads it.
LOOK = """
([repeated, options]) => {
    document.getAnimations().filter((one) => one instanceof CSSTransition).forEach((one) => one.finish());
    return axe.run({exclude: repeated}, options).then((found) => found.violations);
}
"""


def faults(page, repeated=REPEATED, **options):
    """What is wrong with a page as it stands, a line each."""
    # A click that leads to another page returns while that page is still coming.
    page.wait_for_load_state()
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
        page.add_init_script(AXE)  # on the pages to come
    options |= {"resultTypes": ["violations"], "preload": False}
    found = [
        f"{page.url} {rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in page.evaluate(LOOK, [repeated, options])
        for node in rule["nodes"]
    ]
    width = page.viewport_size["width"]
    if page.evaluate("document.documentElement.scrollWidth") > width:
        found.append(f"{page.url} is wider than {width} pixels")
    return found


def faults_in_both_views(page):
    """The same, and what else is wrong in the dark and in a window of the other kind."""
    found = faults(page)
    size = page.viewport_size
    page.set_viewport_size({**size, "width": NARROW if size["width"] > NARROW else WIDE})
    page.emulate_media(color_scheme="dark")
    found += faults(page, REPEATED + OPERATIONS, runOnly=OF_THE_VIEW)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(size)
    return found


# Whatever can be opened is opened for a moment. A link counts as shown if another one to its address is.
UNSEEN = """
(apart) => {
    const all = (selector) => [...document.querySelectorAll(selector)];
    // A form may have no box of its own.
    const shown = (one) =>
        [one, ...one.children].filter((part) => part.checkVisibility({visibilityProperty: true})).flatMap(
            (part) => [...part.getClientRects()]
        ).some((box) => box.width > 1 && box.height > 1 && box.right > 0 && box.bottom + scrollY > 0);
    const undo = [];
    for (const one of all("[popover]:not(:popover-open)"))
        if (all(`[popovertarget="${one.id}"]`).some(shown)) {
            one.showPopover();
            undo.unshift(() => one.hidePopover());
        }
    for (const one of all("details[name]")) {
        const name = one.name;
        one.removeAttribute("name");
        undo.unshift(() => { one.name = name; });
    }
    for (const one of all("details:not([open])"))
        if (shown(one.querySelector("summary"))) {
            one.open = true;
            undo.unshift(() => { one.open = false; });
        }
    for (const one of [...all(".more-rows input:not(:checked)"), ...all(".unfold input:not(:checked)")])
        if (shown(one)) {
            one.checked = true;
            undo.unshift(() => { one.checked = false; });
        }
    const there = new Set(all("a[href]").filter(shown).map((link) => link.href));
    const focused = document.activeElement;
    const isShownInFocus = (one) => {
        one.focus();
        return document.activeElement === one && shown(one);
    };
    const lacking = all("a[href], button, form, summary").filter(
        (one) =>
            !one.closest(apart) &&
            !there.has(one.href) &&
            !(one.popoverTargetElement && shown(one.popoverTargetElement)) &&
            !shown(one) &&
            !isShownInFocus(one)
    );
    focused.focus();
    undo.forEach((back) => back());
    return lacking.map(
        (one) => `${one.tagName} “${one.textContent.trim()}” ${one.href ?? one.action ?? one.className}`
    );
}
"""
APART = ", ".join(
    [
        # Shown by a script when they are of use.
        "[hidden]",
        ".actions .hidden",
        ".empty-form",
        # The choice above them shows them: tabs of the first page, fields of a calculator.
        ".panel",
        ".calculator-form .field",
        # A third board of the first page has no place on a phone; “All games” beside it has the game.
        ".boards .board:nth-child(n + 3)",
        # Sorting by a column that a phone folds.
        "thead .folded",
        # Django's own: the menu, whose links a phone has on the first page; icons under the pointer.
        "#nav-sidebar",
        ".toggle-nav-sidebar",
        ".sortoptions",
    ]
)

CUT = """
(whole) => {
    const about = (one) => `${one.tagName} ${one.className} “${one.innerText.trim().slice(0, 60)}”`;
    const root = document.documentElement;
    const found = root.scrollWidth > root.clientWidth ? [`the page has ${root.scrollWidth} pixels`] : [];
    for (const one of whole ? document.querySelectorAll("main *") : []) {
        if (one.closest("svg, pre, select, option, input, textarea, .hidden, .visually-hidden")) continue;
        // What has one pixel is for screen readers alone.
        if (one.clientWidth <= 1 || one.scrollWidth <= one.clientWidth + 1) continue;
        if (getComputedStyle(one).overflowX !== "visible" || one.matches("td, th, dt, dd, li, p"))
            found.push(`${about(one)} shows ${one.clientWidth} of ${one.scrollWidth} pixels`);
    }
    return found;
}
"""


# A number, a date or a range is one word for the eye, and so is the only word of a heading.
BROKEN = """
() => {
    const isWhole = (cell) =>
        cell.matches("td.number, td.moment, td.middle, .whole") ||
        (cell.closest("thead") && !/\\s/.test(cell.innerText.trim()));
    const found = [];
    for (const cell of document.querySelectorAll("main :is(th, td)")) {
        if (!cell.checkVisibility() || !isWhole(cell)) continue;
        const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        for (let text = texts.nextNode(); text; text = texts.nextNode()) {
            const range = document.createRange();
            range.selectNodeContents(text);
            const boxes = [...range.getClientRects()].filter((box) => box.width);
            const lines = new Set(boxes.map((box) => box.top));
            if (lines.size > 1) found.push(`“${text.data.trim()}” is broken into ${lines.size} lines`);
        }
    }
    return found;
}
"""


# Scores of games are marks in the middle of their column; a season has the name of a year, and codes of HTTP
# and numbers of moves are names as well.
LEFT = """
() => {
    const isNumber = (text) => /^(?:[+−±-]?\\d[\\d,\\u00a0]*(?:\\.\\d+)?[½¼¾]?%?|[½¼¾])$/.test(text);
    const isRight = (cell) => ["right", "end"].includes(getComputedStyle(cell).textAlign);
    const found = [];
    for (const table of document.querySelectorAll("table")) {
        if (table.closest(".reference, .moves")) continue;
        const rows = [...table.tBodies].flatMap((body) => [...body.rows]);
        const heads = [...(table.tHead?.rows[table.tHead.rows.length - 1]?.cells ?? [])];
        for (const [place, head] of heads.entries()) {
            const shown = rows
                .filter((row) => row.cells.length >= heads.length)
                .map((row) => row.cells[place])
                .filter((cell) => cell.checkVisibility() && !/^[-–]?$/.test(cell.innerText.trim()));
            const texts = shown.map((cell) => cell.innerText.trim());
            if (!shown.length || !texts.every(isNumber)) continue;
            if (shown.every((cell) => cell.matches(".middle"))) continue;
            if (texts.every((text) => /^20[0-9]{2}$/.test(text))) continue;
            if (![...shown, head].every(isRight))
                found.push(`“${head.innerText.trim()}” has numbers that are not at the right: ${texts[0]}`);
        }
    }
    return found;
}
"""


OFF_SCREEN = """
() => [...document.querySelectorAll("details.filter")].flatMap((one) => {
    one.open = true;
    const box = one.querySelector("ul").getBoundingClientRect();
    one.open = false;
    return box.left < 0 || box.right > innerWidth ? [`“${one.innerText.trim()}” leaves the screen`] : [];
})
"""


def off_screen(page):
    """Return the filters of a list in the admin whose choices leave the screen."""
    return page.evaluate(OFF_SCREEN)


FIRST_ROW = {WIDE: 300, NARROW: 422}
"""Pixels above the first row of a list in the admin, of 720 that a small screen shows and 844 of a phone."""


def far_down(page):
    """Return where the first row of a list in the admin begins, if that is too far down."""
    row = page.locator(".change-list #result_list tbody tr").first
    top = row.bounding_box()["y"] if row.count() else 0
    return (
        [f"the first row begins at {top:.0f} pixels"] if top > FIRST_ROW[page.viewport_size["width"]] else []
    )


def at_the_left(page):
    """Return the columns of tables that have numbers alone, but not at the right under their heading."""
    return page.evaluate(LEFT)


def broken(page):
    """Return the numbers, dates and one-word headings of tables that take more than one line."""
    return page.evaluate(BROKEN)


def unseen(page):
    """Return the links, buttons and forms of the page that nobody can see, nor open a menu to see them."""
    return page.evaluate(UNSEEN, APART)


def cut_off(page, *, whole=True):
    """Return what is wider than its box: the page, and within its main part tables, cells and sentences."""
    return page.evaluate(CUT, whole)
