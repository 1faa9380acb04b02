// The filter of a board's page. It is in the address, and goes along to other cells and measures.
(() => {
  "use strict";
  const form = document.getElementById("filter");
  if (!form) return;
  const keys = ["language", "kind"];
  const rows = [...document.querySelectorAll("tr[data-language]")];
  const none = document.getElementById("none");

  const show = () => {
    const asked = new URLSearchParams(location.hash.slice(1));
    keys.forEach((key) => (form.elements[key].value = asked.get(key) ?? ""));
    rows.forEach((row) => {
      row.hidden = keys.some((key) => asked.get(key) && asked.get(key) !== row.dataset[key]);
    });
    if (none) none.hidden = rows.some((row) => !row.hidden);
    document.querySelectorAll("a[data-keeps]").forEach((link) => (link.hash = location.hash));
  };

  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", () => {
    const asked = new URLSearchParams();
    keys.filter((key) => form.elements[key].value).forEach((key) => asked.set(key, form.elements[key].value));
    location.hash = asked.toString();
  });
  window.addEventListener("hashchange", show);
  show();
})();
