// Before the page is drawn: the theme that the reader chose on this device. The admin keeps it under the same name.
try {
  document.documentElement.dataset.theme = localStorage.getItem("theme") ?? "auto";
} catch {
  // Where nothing may be stored, the theme is that of the system.
}
