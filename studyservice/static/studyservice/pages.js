// The pages work without this. It adds copy buttons, ticks whole tables, closes the menu, keeps a reload from creating a
// second key, and a tick from moving the page.
"use strict";

for (const button of document.querySelectorAll("[data-copy]")) {
  const text = button.parentElement.querySelector("code").textContent;
  const label = button.firstChild;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      label.data = "Copied";
    } catch {
      getSelection().selectAllChildren(button.parentElement.querySelector("code"));
      label.data = "Press Ctrl+C to copy";
    }
    setTimeout(() => { label.data = "Copy"; }, 4000);
  });
}

const shownOnce = document.querySelector("[data-shown-once]");
if (shownOnce) {
  history.replaceState(null, "", shownOnce.dataset.shownOnce);
}

for (const bar of document.querySelectorAll("[data-tick-all]")) {
  for (const button of bar.querySelectorAll("button")) {
    button.addEventListener("click", () => {
      // What would be deleted is ticked by hand alone.
      for (const box of bar.nextElementSibling.querySelectorAll("tr:not(.gone) input[type=checkbox]")) {
        box.checked = button.dataset.tick === "true";
      }
    });
  }
}

const menu = document.querySelector("[data-menu]");
if (menu) {
  document.addEventListener("click", ({ target }) => { menu.open &&= menu.contains(target); });
  menu.addEventListener("keydown", ({ key }) => {
    if (key === "Escape" && menu.open) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });
}

// A tick or a move is sent beside the page, which is then replaced: Back leads to the page before it, and rows stay in
// their place. So does undoing a tick.
const ticks = document.getElementById("ticks");
if (ticks) {
  const here = new URL(ticks.elements.next.value, location).href;
  const last = JSON.parse(sessionStorage.getItem("sent"));
  sessionStorage.removeItem("sent");
  if (last?.here === location.href) {
    const button = document.getElementById(last.button);
    button?.closest("details")?.setAttribute("open", "");
    scrollTo(0, button && last.stays ? scrollY + button.getBoundingClientRect().top - last.top : last.scrolled);
    if (last.byKey) button?.focus({ preventScroll: true });
  }

  const undo = document.getElementById("undo");
  undo?.addEventListener("submit", () => {
    const back = new URL(undo.elements.next.value, location).href;
    sessionStorage.setItem("sent", JSON.stringify({ here: back, scrolled: scrollY }));
  });

  let sending = false;
  const send = async (event) => {
    const { target: form, submitter } = event;
    if (form.matches(".add-line:has(:focus-visible)")) {  // the keyboard goes on with the next item
      sessionStorage.setItem("sent", JSON.stringify({ here, button: "id_add_line", scrolled: 0, byKey: true }));
    }
    const stays = form === ticks;
    if (!stays && !form.matches(".move > form")) return;
    event.preventDefault();
    if (sending) return;
    sending = true;
    const row = submitter.closest("li");  // after a move the keyboard goes on in the next row
    const button = stays ? submitter : (row.nextElementSibling ?? row.previousElementSibling ?? row).querySelector("[id]");
    const sent = {
      here,
      button: button?.id,
      stays,
      top: submitter.getBoundingClientRect().top,
      scrolled: scrollY,
      byKey: submitter.matches(":focus-visible"),
    };
    const address = (submitter.attributes.formaction ?? form.attributes.action).value;
    const body = new URLSearchParams(new FormData(form, submitter));
    const answer = await fetch(address, { method: "POST", body, redirect: "manual" }).catch(() => null);
    if (answer?.type === "opaqueredirect") {
      sessionStorage.setItem("sent", JSON.stringify(sent));
      location.replace(here);
    } else {  // The browser shows what is wrong.
      document.removeEventListener("submit", send);
      form.requestSubmit(submitter);
    }
  };
  document.addEventListener("submit", send);
}
