"""What axe finds on the page that is open, and whether the page fits the window."""

from axe_playwright_python.base import AXE_SCRIPT

WIDE, NARROW = 1280, 390
"""A window on a screen, and one on a phone."""

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
