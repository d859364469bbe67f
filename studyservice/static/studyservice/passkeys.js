// Asks the browser for a passkey when a form is sent, and posts what it gives. Where it cannot, other ways stay open.
"use strict";

const READS_OPTIONS = { create: "parseCreationOptionsFromJSON", get: "parseRequestOptionsFromJSON" };

for (const form of document.querySelectorAll("form[data-passkey]")) {
  const kind = form.dataset.passkey;
  if (!window.PublicKeyCredential?.[READS_OPTIONS[kind]]) {
    continue;
  }
  const button = form.querySelector("button[type=submit]");
  const failed = form.querySelector("[data-passkey-failed]");
  form.querySelector("[data-passkey-missing]").hidden = true;
  button.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!form.reportValidity()) {
      return; // a passkey without a name would be refused, and stay on the device
    }
    failed.hidden = true;
    button.disabled = true;
    try {
      const publicKey = PublicKeyCredential[READS_OPTIONS[kind]](JSON.parse(form.dataset.options));
      const credential = await navigator.credentials[kind]({ publicKey });
      form.elements.passkey.value = JSON.stringify(credential.toJSON());
      form.submit();
    } catch {
      failed.hidden = false;
      button.disabled = false;
    }
  });
}
