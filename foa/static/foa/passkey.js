// Once a passkey is stored, go back to the page that lists it.
document.addEventListener("otp_webauthn.register_complete", () => {
  location.assign(document.getElementById("passkey").dataset.done);
});
