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
