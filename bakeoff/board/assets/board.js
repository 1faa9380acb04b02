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

// Two contenders of a cell, and the way to their page.
(() => {
  "use strict";
  const form = document.getElementById("two");
  if (!form) return;
  const { a, b } = form.elements;
  const offer = () => {
    const unpaired = (a.selectedOptions[0].dataset.unpaired ?? "").split(" ");
    [...b.options].forEach((each) => {
      each.disabled = each.value !== "" && (each.value === a.value || unpaired.includes(each.value));
    });
    if (b.selectedOptions[0]?.disabled) b.value = "";
  };

  form.hidden = false;
  a.addEventListener("change", offer);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const names = [a.value, b.value].sort().map(encodeURIComponent);
    location.href = `${form.dataset.root}pair/${names.join("/")}.html`;
  });
  offer();
})();
