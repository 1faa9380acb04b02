// What a mark of a picture stands for, in a box beside it, while it is pointed at or has the focus.
const box = document.createElement("div");
box.className = "mark-label";
box.setAttribute("aria-hidden", "true"); // The mark itself has the label.
box.hidden = true;
document.body.append(box);

let shown = null;

const hide = () => {
  shown = null;
  box.hidden = true;
};

const show = (mark) => {
  if (mark === shown) return;
  shown = mark;
  // Our box says it at once, and to the keyboard, too: the browser's own would say it twice.
  mark.querySelector("title")?.remove();
  box.textContent = mark.getAttribute("aria-label");
  box.hidden = false;
  const at = mark.getBoundingClientRect();
  const room = document.documentElement.clientWidth - box.offsetWidth - 8;
  const left = at.left + at.width / 2 - box.offsetWidth / 2;
  const above = at.top - box.offsetHeight - 6;
  box.style.left = `${Math.max(8, Math.min(left, room)) + scrollX}px`;
  box.style.top = `${(above < 4 ? at.bottom + 6 : above) + scrollY}px`;
};

const markOf = (event) => event.target.closest?.(".mark");

document.addEventListener("pointerover", (event) => (markOf(event) ? show(markOf(event)) : hide()));
document.addEventListener("focusin", (event) => (markOf(event) ? show(markOf(event)) : hide()));
document.addEventListener("focusout", hide);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hide();
  // Of hundreds of marks the tab key comes by a few: from one of these the arrows lead to all.
  const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const mark = markOf(event);
  if (!way || !mark) return;
  const marks = [...mark.closest("svg").querySelectorAll(".mark")];
  marks[marks.indexOf(mark) + way]?.focus();
  event.preventDefault();
});
