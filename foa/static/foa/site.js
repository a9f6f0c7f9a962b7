// What every page shares. Without JavaScript every form and link here still works.

// Addresses stay short: an empty filter says nothing.
document.addEventListener("htmx:configRequest", (event) => {
  const { formData, verb } = event.detail;
  if (verb !== "get") return;
  for (const [name, value] of [...formData]) if (value === "") formData.delete(name);
});

// Down from the search field into what it has found, and back with Escape.
document.addEventListener("keydown", (event) => {
  const finder = event.target.closest(".finder");
  if (!finder) return;
  const stops = [finder.querySelector("input"), ...finder.querySelectorAll(".found a")];
  const here = stops.indexOf(document.activeElement);
  const to = { ArrowDown: here + 1, ArrowUp: here - 1, Escape: 0 }[event.key];
  if (to === undefined || !stops[to]) return;
  event.preventDefault();
  stops[to].focus();
  if (event.key === "Escape") finder.querySelector(".found").replaceChildren();
});

// Menus of the header close with Escape and with a click elsewhere.
const menus = (except) => [...document.querySelectorAll(".site-header details[open]")].filter((one) => one !== except);
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
  place.textContent = place.dataset[trouble(status)];
  place.hidden = false;
};
document.addEventListener("htmx:responseError", (event) => say(event, event.detail.xhr.status));
document.addEventListener("htmx:sendError", (event) => say(event, 0));
document.addEventListener("htmx:timeout", (event) => say(event, 0));
document.addEventListener("htmx:afterSwap", (event) => {
  if (!event.target.matches?.("[data-live]")) document.getElementById("trouble").hidden = true;
});
