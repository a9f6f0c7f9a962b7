// Select2, Django's search for a member or a login: names for screen readers, and a place inside the page.
"use strict";

// Keys: / goes to the search of the header, j and k to the next and the previous row of a list.
document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, select, textarea, [contenteditable]");
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    const search = document.querySelector(".find input");
    if (search) {
      event.preventDefault();
      search.focus();
    }
  } else if (event.key === "j" || event.key === "k") {
    const links = [...document.querySelectorAll("#result_list tbody th a, .due li a")];
    const at = links.indexOf(document.activeElement);
    const next = event.key === "j" ? at + 1 : at - 1;
    links[Math.max(0, Math.min(next, links.length - 1))]?.focus();
  }
});

// On a phone the tabs are one line to scroll: the chosen one is in sight.
document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

{
  const $ = window.django && window.django.jQuery;
  const choices = $ ? document.querySelectorAll("select.admin-autocomplete") : [];

  for (const choice of choices) {
    // Read by Select2, which begins once the document is ready.
    choice.dataset.dropdownParent = "#content-start";
  }

  if (choices.length) {
    $(() => choices.forEach(name));
  }

  function name(choice) {
    const label = document.querySelector(`label[for="${choice.id}"]`);
    const box = choice.parentElement.querySelector(".select2-selection");
    const chosen = box.querySelector(".select2-selection__rendered");
    label.id ||= `${choice.id}_label`;
    chosen.id ||= `${choice.id}_chosen`;
    // A box for several has its search field inside, from the beginning.
    box.querySelector(".select2-search__field")?.setAttribute("aria-labelledby", label.id);
    box.setAttribute("aria-labelledby", `${label.id} ${chosen.id}`);
    chosen.removeAttribute("role");
    chosen.removeAttribute("aria-readonly");
    $(choice).on("select2:open", () => {
      box.setAttribute("aria-controls", `select2-${choice.id}-results`);
      const search = document.querySelector(".select2-container--open .select2-search__field");
      search.setAttribute("aria-labelledby", label.id);
      search.focus();
    });
  }
}
