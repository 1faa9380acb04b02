// A run that goes on: its standing is replaced whenever the explorer sends a newer one.
(() => {
  const standing = document.querySelector("[data-events]");

  if (standing) {
    const hold = document.querySelector("[data-hold]");
    const reload = document.querySelector("[data-reload]");
    const source = new EventSource(standing.dataset.events);
    let held = false;
    let latest = null;

    // A reader at a mark or in a scrolled table stays there. Moments are added in between: a mark
    // is found again by what it says, and by its place where that has changed.
    const show = (html) => {
      const focusable = () => [...standing.querySelectorAll("a[href], summary, [tabindex]")];
      const said = document.activeElement.getAttribute("aria-label");
      const alike = () => focusable().filter((each) => said && each.getAttribute("aria-label") === said);
      const focused = focusable().indexOf(document.activeElement);
      const among = alike().indexOf(document.activeElement);
      const scrolled = [...standing.querySelectorAll(".scroll")].map((box) => box.scrollLeft);
      const opened = [...standing.querySelectorAll("details")].map((fold) => fold.open);
      standing.innerHTML = html;
      standing.querySelectorAll(".scroll").forEach((box, at) => (box.scrollLeft = scrolled[at] ?? 0));
      standing.querySelectorAll("details").forEach((fold, at) => (fold.open = opened[at] ?? false));
      const again = alike()[among] ?? focusable()[focused];
      again?.focus({ preventScroll: true });
    };

    source.addEventListener("open", () => {
      hold.hidden = false;
      reload.hidden = true;
    });
    source.addEventListener("error", () => (reload.hidden = false));
    source.addEventListener("standing", ({ data }) => (held ? (latest = data) : show(data)));
    source.addEventListener("over", ({ data }) => {
      source.close();
      show(data);
      hold.parentElement.remove();
      document.querySelector("[data-end]")?.remove();
    });
    hold.addEventListener("click", () => {
      held = !held;
      hold.textContent = held ? "Go on" : "Hold still";
      if (!held && latest) show(latest);
      latest = null;
    });
  }
})();
