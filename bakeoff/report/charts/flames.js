// A flame graph that is zoomed, searched, and walked through by keyboard.
(() => {
  "use strict";
  const SVG = "http://www.w3.org/2000/svg";
  const HTML = "http://www.w3.org/1999/xhtml";
  const PX_PER_CHARACTER = 6.8;
  const LABEL_PX = 34;

  const html = (name, inside) => Object.assign(document.createElementNS(HTML, name), inside);

  function enliven(graph) {
    const path = [];
    const frames = [...graph.querySelectorAll(".flame")].map((node, at) => ({
      node,
      at,
      text: node.querySelector("text"),
      said: node.querySelector("title").textContent,
      us: node.dataset.us.split(" ").map(Number),
      x: Number(node.getAttribute("x")),
      width: Number(node.getAttribute("width")),
      y: Number(node.getAttribute("y")),
      shown: true,
    }));
    // Each frame comes before those below it, which end where `end` says.
    for (const frame of frames) {
      while (path.length && path[path.length - 1].y >= frame.y) path.pop().end = frame.at;
      frame.parent = path[path.length - 1];
      frame.name = frame.said.split("\n")[0];
      path.push(frame);
    }
    for (const frame of path) frame.end = frames.length;
    const byNode = new Map(frames.map((frame) => [frame.node, frame]));
    const [whole] = frames;

    function place(frame, x, width) {
      frame.node.setAttribute("x", x);
      frame.node.setAttribute("width", width);
      const room = Math.floor((width - 6) / PX_PER_CHARACTER);
      if (width > LABEL_PX && !frame.text) {
        frame.text = document.createElementNS(SVG, "text");
        frame.text.setAttribute("x", 3);
        frame.text.setAttribute("y", 12);
        frame.node.append(frame.text);
      }
      if (frame.text) {
        const { name } = frame;
        const fits = name.length <= room ? name : `${name.slice(0, Math.max(0, room - 1))}…`;
        frame.text.textContent = width > LABEL_PX ? fits : "";
      }
    }

    function zoom(to) {
      const factor = whole.width / to.width;
      for (const frame of frames) {
        const above = frame.at < to.at && to.at < frame.end;
        frame.shown = above || (to.at <= frame.at && frame.at < to.end);
        frame.node.style.display = frame.shown ? "" : "none";
        if (above) place(frame, 0, whole.width);
        else if (frame.shown) place(frame, (frame.x - to.x) * factor, frame.width * factor);
      }
      back.disabled = to === whole;
    }

    const figures = (its, other) => {
      const more = its - other;
      const sign = more < 0 ? "" : "+";
      const both = `${graph.dataset.its} ${its.toFixed(2)}, ${graph.dataset.other} ${other.toFixed(2)}`;
      return `${both}: ${sign}${more.toFixed(2)} µs per ${graph.dataset.unit}`;
    };

    // What is within a frame that was found already is in its figures.
    function find() {
      const wanted = field.value.trim().toLowerCase();
      const found = [0, 0];
      let count = 0;
      let end = 0;
      for (const frame of frames) {
        const fits = wanted !== "" && frame.name.toLowerCase().includes(wanted);
        frame.node.style.opacity = wanted === "" || fits ? "" : "0.3";
        if (!fits) continue;
        count += 1;
        if (frame.at < end) continue;
        end = frame.end;
        frame.us.forEach((us, of) => (found[of] += us));
      }
      const frameCount = count === 1 ? "1 frame" : `${count} frames`;
      status.textContent = wanted && `${frameCount}. ${figures(...found)}`;
    }

    const field = html("input", { type: "search", placeholder: "Search functions" });
    field.setAttribute("aria-label", "Search functions");
    const back = html("button", { type: "button", textContent: "Whole graph", disabled: true });
    const status = html("div");
    status.setAttribute("role", "status");
    const box = html("div");
    box.append(field, " ", back, status);
    Object.assign(box.style, { font: "12px Helvetica, Arial, sans-serif", color: "CanvasText" });
    Object.assign(status.style, { marginTop: "4px", lineHeight: "15px", overflowWrap: "anywhere" });
    for (const control of [field, back]) control.style.font = "inherit";
    const controls = graph.parentNode.querySelector(".flame-controls");
    const holder = document.createElementNS(SVG, "foreignObject");
    holder.setAttribute("width", controls.dataset.width);
    holder.setAttribute("height", 60);
    holder.append(box);
    controls.replaceChildren(holder);

    field.addEventListener("input", find);
    back.addEventListener("click", () => zoom(whole));
    const frameOf = (event) => byNode.get(event.target.closest(".flame"));
    const say = (event) => (status.textContent = frameOf(event)?.said.replace("\n", ": ") ?? "");
    graph.addEventListener("pointerover", say);
    graph.addEventListener("focusin", say);
    graph.addEventListener("pointerleave", find);
    graph.addEventListener("click", (event) => frameOf(event) && zoom(frameOf(event)));

    for (const { node } of frames) {
      node.setAttribute("role", "button");
      node.setAttribute("tabindex", node === whole.node ? "0" : "-1");
      node.style.cursor = "pointer";
    }
    const beside = (frame) => (each) => each.shown && each.y === frame.y;
    const neighbours = {
      ArrowDown: (frame) => (frame.end > frame.at + 1 ? frames[frame.at + 1] : undefined),
      ArrowUp: (frame) => frame.parent,
      ArrowRight: (frame) => frames.slice(frame.end).find(beside(frame)),
      ArrowLeft: (frame) => frames.slice(0, frame.at).findLast(beside(frame)),
    };
    graph.addEventListener("keydown", (event) => {
      const frame = frameOf(event);
      if (event.key === "Enter" || event.key === " ") zoom(frame);
      else if (event.key === "Escape") zoom(whole);
      else if (neighbours[event.key]) {
        neighbours[event.key](frame)?.node.focus();
      } else return;
      event.preventDefault();
    });
  }

  document.querySelectorAll(".flames").forEach(enliven);
})();
