// Members by name in the forms of the calculators: found while somebody types, and filled in by a click.
// Without JavaScript a name is looked up when the form is sent.

const line = (field) => {
  if (field.tagName !== "TEXTAREA") return { from: 0, to: field.value.length };
  const end = field.value.indexOf("\n", field.selectionStart);
  return {
    from: field.value.lastIndexOf("\n", field.selectionStart - 1) + 1,
    to: end < 0 ? field.value.length : end,
  };
};

let waiting;
document.addEventListener("input", ({ target }) => {
  if (!target.matches("[data-find]")) return;
  const finder = target.closest(".finder");
  const found = finder.querySelector(".found");
  clearTimeout(waiting);
  const { from, to } = line(target);
  const name = target.value.slice(from, to).trim();
  if (!/^\p{L}.+/u.test(name)) {
    found.replaceChildren();
    return;
  }
  waiting = setTimeout(async () => {
    const address = `${finder.dataset.address}?member=${encodeURIComponent(name)}`;
    const answer = await fetch(address, { headers: { "HX-Request": "true" } });
    if (answer.ok && target.value.slice(from, to).trim() === name) found.innerHTML = await answer.text();
  }, 200);
});

document.addEventListener("click", (event) => {
  const link = event.target.closest(".calculator-form .found a");
  if (!link) {
    for (const found of document.querySelectorAll(".calculator-form .found")) found.replaceChildren();
    return;
  }
  event.preventDefault();
  const field = link.closest(".finder").querySelector("[data-find]");
  const { from, to } = line(field);
  const list = field.tagName === "TEXTAREA";
  field.setRangeText(link.dataset.username + (list ? " " : ""), from, to, "end");
  link.closest(".found").replaceChildren();
  field.focus();
});

// A long list doesn't fit into an address.
document.addEventListener("htmx:configRequest", (event) => {
  const games = event.target.closest?.(".calculator-form")?.elements.games;
  if (games && encodeURIComponent(games.value).length > 7000) event.detail.verb = "post";
});
