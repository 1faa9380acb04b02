// A published site knows its own address where it is opened: the lines to copy get it.
const shared = document.querySelector("[data-share]");

if (shared?.dataset.root && location.protocol !== "file:") {
  const site = new URL(".", new URL(shared.dataset.root, location.href)).href;
  shared.querySelectorAll("code").forEach((code) => {
    code.textContent = code.textContent.replaceAll(shared.dataset.share, site);
  });
  shared.querySelector("[data-unknown]")?.remove();
}
