// What every page shares. Without JavaScript every form and link here still works.

// Addresses stay short: an empty filter says nothing.
document.addEventListener("htmx:configRequest", (event) => {
  const { formData, verb } = event.detail;
  if (verb !== "get") return;
  for (const [name, value] of [...formData]) if (value === "") formData.delete(name);
});

// Menus of the header close with Escape and with a click elsewhere.
const menus = (except) => [...document.querySelectorAll(":is(.site-header, .menus) details[open]")].filter((one) => one !== except);
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of menus()) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});
document.addEventListener("click", (event) => {
  for (const menu of menus(event.target.closest("details"))) menu.open = false;
});

// Filters change the address without a new page: whoever chooses a language stays where they are now.
document.addEventListener("submit", (event) => {
  if (event.target.matches(".languages")) event.target.elements.next.value = location.pathname + location.search;
});

// What htmx asked for and didn't get is said: a request that vanishes looks like a page that is broken. Pages that
// follow what is played ask again by themselves.
const trouble = (status) =>
  ({ 413: "long", 414: "long", 429: "busy", 503: "busy" })[status] ?? (status >= 400 && status < 500 ? "refused" : "down");
const say = (event, status) => {
  if (event.target.matches?.("[data-live]")) return;
  const place = document.getElementById("trouble");
  place.setAttribute("role", "alert");
  place.hidden = false;
  place.textContent = place.dataset[trouble(status)];
};
document.addEventListener("htmx:responseError", (event) => say(event, event.detail.xhr.status));
document.addEventListener("htmx:sendError", (event) => say(event, 0));
document.addEventListener("htmx:timeout", (event) => say(event, 0));
document.addEventListener("htmx:afterSwap", (event) => {
  if (!event.target.matches?.("[data-live]")) document.getElementById("trouble").hidden = true;
});

// The theme, kept on this device; theme.js applies it before a page is drawn.
document.querySelectorAll("[data-themes]").forEach((group) => {
  const root = document.documentElement;
  const show = () => {
    for (const button of group.children) button.setAttribute("aria-pressed", button.value === (root.dataset.theme ?? "auto"));
  };
  group.hidden = false;
  show();
  group.addEventListener("click", ({ target }) => {
    if (!target.value) return;
    root.dataset.theme = target.value;
    try {
      localStorage.setItem("theme", target.value);
    } catch {
      // Then it is that of this page alone.
    }
    show();
  });
});

// Moments in the reader's time zone; UTC, which the server writes, for whoever points at one.
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
const isUtc = ["UTC", "Etc/UTC", "Etc/GMT"].includes(timeZone);
const language = document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang;
const near = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
function localise(page) {
  if (isUtc) return;
  for (const time of page.querySelectorAll("time[datetime*='T']:not([title])")) {
    const text = time.textContent.trim();
    if (!/\d:\d\d/.test(text)) continue;
    time.title = text.endsWith("UTC") ? text : `${text} UTC`;
    time.textContent = near.format(new Date(time.dateTime));
  }
  for (const heading of page.querySelectorAll("th")) {
    const words = [...heading.querySelectorAll("a"), heading].find((one) => one.childElementCount === 0);
    if (words?.textContent.includes("(UTC)")) words.textContent = words.textContent.replace(/ ?\(UTC\)/, "");
  }
  for (const zone of page.querySelectorAll("[data-zone]")) zone.textContent = zone.dataset.zone.replace("{zone}", timeZone);
}
localise(document);
document.addEventListener("htmx:load", (event) => localise(event.target));

// Paper has all rows of a list, not one page of them. Printing does not wait, so this request does.
window.addEventListener("beforeprint", () => {
  const link = document.querySelector("[data-print]");
  if (!link) return;
  const request = new XMLHttpRequest();
  request.open("GET", link.href, false);
  try {
    request.send();
  } catch {
    return; // Then it has those that are here.
  }
  const page = new DOMParser().parseFromString(request.responseText, "text/html");
  const rows = page.querySelector(link.dataset.print);
  if (request.status !== 200 || !rows) return;
  localise(rows);
  document.querySelector(link.dataset.print).replaceWith(document.adoptNode(rows));
});
