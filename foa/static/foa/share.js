// Copies the address of a page, or hands it to whatever the device shares with. Without this file its link is there.

const enable = (part) => part.querySelectorAll("[data-share]").forEach((button) => (button.hidden = false));
enable(document);
// A live page gets new parts.
document.addEventListener("htmx:load", (event) => enable(event.target));

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-share]");
  if (!button) return;
  const { href } = document.querySelector(button.dataset.share);
  const touch = navigator.share && matchMedia("(pointer: coarse)").matches;
  try {
    if (touch) return await navigator.share({ title: document.title, url: href });
    await navigator.clipboard.writeText(href);
    button.nextElementSibling.textContent = button.dataset.done;
  } catch (error) {
    // Whoever closes the device's dialogue shares nothing.
    if (error.name !== "AbortError") throw error;
  }
});
