// A small shop, with a page and the requests that the page sends. Each answer takes some work.
// EXTRA=ROUTE:SHARE adds a share of work to one route, as in search:0.03.
const http = require("http");

const [slowed, share] = (process.env.EXTRA || ":0").split(":");
const WORK = 30000;

function work(route) {
  const turns = WORK * (route === slowed ? 1 + Number(share) : 1);
  let sum = 0;
  for (let n = 0; n < turns; n++) sum = (sum * 31 + n) % 1000003;
  return sum;
}

const PAGE = `<!doctype html><title>Shop</title><link rel="stylesheet" href="/style.css">
<h1>Shop</h1><ul id="items"></ul><script src="/app.js"></script>`;
const STYLE = "h1 { color: teal }";
const SCRIPT = `
const ask = (path, options) => fetch(path, options).then(answer => answer.json());
async function browse() {
  for (const page of [1, 2, 3]) {
    const { items } = await ask("/api/items?page=" + page);
    for (const { id } of items.slice(0, 2)) await ask("/api/items/" + id);
  }
  for (const word of ["tea", "pot", "cup", "tea"]) await ask("/api/search?q=" + word);
  const headers = { "Content-Type": "application/json", "Authorization": "Bearer s3cr3t" };
  for (const id of [11, 21])
    await ask("/api/cart", { method: "POST", headers, body: JSON.stringify({ id, count: 1 }) });
  await ask("/api/cart");
  await fetch(new URLSearchParams(location.search).get("ads"), { mode: "no-cors" }).catch(() => {});
  document.title = "done";
}
browse();`;

const item = id => ({ id, name: `item ${id}`, price: id / 10, note: id % 2 ? "odd" : null });

const ROUTES = [
  [/^GET \/(\?.*)?$/, "page", () => [200, "text/html; charset=utf-8", PAGE]],
  [/^GET \/style\.css$/, "style", () => [200, "text/css", STYLE]],
  [/^GET \/app\.js$/, "script", () => [200, "text/javascript", SCRIPT]],
  [/^GET \/api\/items\?page=(\d+)$/, "list", page =>
    json({ page: +page, items: [1, 2, 3].map(n => item(page * 10 + n)) })],
  [/^GET \/api\/items\/(\d+)$/, "item", id => json({ ...item(+id), at: Date.now() })],
  [/^GET \/api\/search\?q=(\w+)$/, "search", word => json({ word, found: [item(7)] })],
  [/^POST \/api\/cart$/, "add", () => json({ added: true }, 201)],
  [/^GET \/api\/cart$/, "cart", () => json({ items: [] })],
];

const json = (value, status = 200) => [status, "application/json", JSON.stringify(value)];

http.createServer((request, response) => {
  const asked = `${request.method} ${request.url}`;
  for (const [pattern, route, answer] of ROUTES) {
    const found = pattern.exec(asked);
    if (!found) continue;
    request.resume().on("end", () => {
      const [status, type, body] = answer(...found.slice(1));
      const headers = { "Content-Type": type, "Set-Cookie": "session=s3cr3t; Path=/" };
      // What the work comes to has to be used, or it is left out.
      headers["X-Work"] = work(route) % 10;
      response.writeHead(status, headers).end(body);
    });
    return;
  }
  response.writeHead(404).end();
}).listen(process.env.PORT, "127.0.0.1");
