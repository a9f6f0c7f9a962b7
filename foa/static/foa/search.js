// Suggestions below a field while somebody types: the combobox of ARIA. Without JavaScript the search has a page of
// results, and other fields look a name up when their form is sent.

const WAIT = 150;

// A list of games has a name in each line.
const line = (field) => {
  if (field.tagName !== "TEXTAREA") return { from: 0, to: field.value.length };
  const end = field.value.indexOf("\n", field.selectionStart);
  return {
    from: field.value.lastIndexOf("\n", field.selectionStart - 1) + 1,
    to: end < 0 ? field.value.length : end,
  };
};
const typed = (field) => {
  const { from, to } = line(field);
  return field.value.slice(from, to).trim();
};

const prepare = (page) => {
  for (const field of page.querySelectorAll("[data-suggest]:not([aria-autocomplete])")) {
    field.setAttribute("aria-autocomplete", "list");
    field.setAttribute("aria-haspopup", "listbox");
    if (field.tagName === "INPUT") {
      field.setAttribute("role", "combobox");
      field.setAttribute("aria-expanded", "false");
    }
    const found = document.createElement("div");
    found.className = "found";
    field.after(found);
  }
};
prepare(document);
document.addEventListener("htmx:load", (event) => prepare(event.target));

const foundFor = (field) => field.nextElementSibling;
const optionsFor = (field) => [...foundFor(field).querySelectorAll("[role=option]")];

const choose = (field, option) => {
  for (const one of optionsFor(field)) one.setAttribute("aria-selected", String(one === option));
  if (option) {
    field.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  } else {
    field.removeAttribute("aria-activedescendant");
  }
};

const show = (field, content) => {
  foundFor(field).innerHTML = content;
  const options = optionsFor(field);
  options.forEach((option, number) => {
    option.id = `suggestion-${number}`;
  });
  choose(field, null);
  if (field.tagName === "INPUT") field.setAttribute("aria-expanded", String(options.length > 0));
  if (options.length) field.setAttribute("aria-controls", "suggestions");
  else field.removeAttribute("aria-controls");
};

let waiting;
document.addEventListener("input", ({ target: field }) => {
  if (!field.matches("[data-suggest]")) return;
  clearTimeout(waiting);
  const text = typed(field);
  // In a list of games the line may as well begin with a rating.
  if (!text || (field.tagName === "TEXTAREA" && !/^\p{L}.+/u.test(text))) {
    show(field, "");
    // An empty filter is the whole list again.
    if (!text && field.form?.id === "filters") field.form.requestSubmit();
    return;
  }
  waiting = setTimeout(async () => {
    const address = new URL(field.dataset.suggest, location);
    address.searchParams.set("q", text);
    try {
      const answer = await fetch(address);
      // 429 says that there were too many.
      if ((answer.ok || answer.status === 429) && field === document.activeElement && typed(field) === text) show(field, await answer.text());
    } catch {
      // Without a connection there are no suggestions; the form itself says what is wrong.
    }
  }, WAIT);
});

document.addEventListener("keydown", (event) => {
  const field = event.target;
  if (event.key === "/" && !field.closest("input, select, textarea, [contenteditable]")) {
    const search = document.querySelector(".finder input");
    if (!search || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    search.focus();
    return;
  }
  if (!field.matches("[data-suggest]") || event.isComposing) return;
  const options = optionsFor(field);
  if (!options.length) return;
  const here = options.findIndex((one) => one.getAttribute("aria-selected") === "true");
  if (event.key === "ArrowDown") choose(field, options[here + 1] ?? null);
  else if (event.key === "ArrowUp") choose(field, here < 0 ? options.at(-1) : (options[here - 1] ?? null));
  else if (event.key === "Escape") show(field, "");
  else if (event.key === "Enter" && here >= 0) options[here].click();
  else return;
  event.preventDefault();
});

// The field keeps the focus while an option is clicked, and loses its suggestions with it.
document.addEventListener("mousedown", (event) => {
  if (event.target.closest(".found")) event.preventDefault();
});
document.addEventListener("focusout", ({ target: field }) => {
  if (!field.matches("[data-suggest]")) return;
  clearTimeout(waiting);
  show(field, "");
});

// An option is a link. In the filter of a list it may lead to the rows of that member, and in a form it fills the field.
document.addEventListener("click", (event) => {
  const option = event.target.closest(".found [role=option]");
  const field = option?.closest(".found").previousElementSibling;
  if (!field || !("pick" in field.dataset || "fill" in field.dataset)) return;
  event.preventDefault();
  if (field.dataset.pick) {
    const query = new URLSearchParams([...new FormData(field.form)].filter(([, value]) => value !== ""));
    query.delete(field.name);
    query.set(field.dataset.pick, option.dataset.member);
    location.search = query;
    return;
  }
  const { from, to } = line(field);
  field.setRangeText(option.dataset.username + (field.tagName === "TEXTAREA" ? " " : ""), from, to, "end");
  show(field, "");
  if (field.type === "search") field.form.requestSubmit();
});
