// The search of a static site: its runs lie in files beside the page, and are read when one types.
(() => {
  "use strict";
  const form = document.getElementById("find");
  const runs = [];
  let wanted = null;

  // Each shard calls this with its rows: file, time, kind, headline, words.
  window.found = (rows) => runs.push(...rows);

  function read() {
    const shards = form.dataset.shards.split(" ").map((source) => new Promise((done) => {
      const script = document.createElement("script");
      script.src = source;
      // In the order of the shards, which is that of time.
      script.async = false;
      script.onload = done;
      script.onerror = done;
      document.head.append(script);
    }));
    return Promise.all(shards);
  }

  async function show() {
    wanted = wanted || read();
    await wanted;
    const words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = words.length
      ? runs.filter((run) => words.every((word) => run.join(" ").toLowerCase().includes(word)))
      : [];
    const list = document.getElementById("found");
    list.replaceChildren(...fits.slice(0, 50).map(([file, began, kind, headline]) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = file;
      link.textContent = `${began}, ${kind}`;
      item.append(link, `: ${headline}`);
      return item;
    }));
    const count = fits.length === 1 ? "1 run" : `${fits.length} runs`;
    const shown = fits.length > 50 ? `${count}, the newest 50 of them:` : count;
    document.getElementById("found-count").textContent = words.length ? shown : "";
  }

  if (form) {
    form.hidden = false;
    form.addEventListener("input", show);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      show();
    });
  }
})();
