// Select2, Django's search for a member or a login: names for screen readers, and a place inside the page.
"use strict";

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
