// Copies the address of a link or a text, or hands the address to whatever the device shares with. Without this file
// both are there.

const enable = (part) => part.querySelectorAll("[data-share]").forEach((button) => (button.hidden = false));
enable(document);
// A live page gets new parts.
document.addEventListener("htmx:load", (event) => enable(event.target));

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-share]");
  if (!button) return;
  const { href, textContent } = document.querySelector(button.dataset.share);
  const touch = href && navigator.share && matchMedia("(pointer: coarse)").matches;
  const status = button.nextElementSibling;
  try {
    if (touch) return await navigator.share({ title: document.title, url: href });
    await navigator.clipboard.writeText(href ?? textContent);
    status.textContent = button.dataset.done;
  } catch (error) {
    // Whoever closes the device's dialogue shares nothing.
    if (error.name !== "AbortError") status.textContent = button.dataset.refused;
  }
});
