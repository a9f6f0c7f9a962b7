// Copies the address of a page, or hands it to whatever the device shares with. Without this file its link is there.

document.querySelectorAll("[data-share]").forEach((button) => {
  const { href } = document.querySelector(button.dataset.share);
  const touch = navigator.share && matchMedia("(pointer: coarse)").matches;
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      if (touch) return await navigator.share({ title: document.title, url: href });
      await navigator.clipboard.writeText(href);
      button.nextElementSibling.textContent = button.dataset.done;
    } catch (error) {
      // Whoever closes the device's dialogue shares nothing.
      if (error.name !== "AbortError") throw error;
    }
  });
});
