// A long list doesn't fit into an address.
document.addEventListener("htmx:configRequest", (event) => {
  const games = event.target.closest?.(".calculator-form")?.elements.games;
  if (games && encodeURIComponent(games.value).length > 7000) event.detail.verb = "post";
});
