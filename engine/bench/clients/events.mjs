// A Node client of server-sent events: node:http and one process, as an EventSource would read them.
//
//     node events.mjs URL CONNECTIONS SECONDS
//
// Each connection requests the stream again once it has ended. It prints the number of events that
// came within the seconds, as JSON.
import http from "node:http";

const [url, connections, seconds] = process.argv.slice(2);
const agent = new http.Agent({ keepAlive: true, maxSockets: Number(connections) });
let events = 0;
let bytes = 0;

/** Reads one stream: fields line by line, and an event at each empty line. */
function read(response) {
  if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
  let rest = "";
  let data = [];
  let id = "";
  response.setEncoding("utf8");
  response.on("data", (piece) => {
    const lines = (rest + piece).split(/\r\n|\n|\r/);
    rest = lines.pop();
    for (const line of lines) {
      if (line === "") {
        if (data.length) dispatch({ id, data: data.join("\n") });
        data = [];
      } else if (line.startsWith("data:")) {
        data.push(line.slice(line[5] === " " ? 6 : 5));
      } else if (line.startsWith("id:")) {
        id = line.slice(line[3] === " " ? 4 : 3);
      }
    }
  });
  response.on("end", request);
}

function dispatch(event) {
  events += 1;
  bytes += event.id.length + event.data.length;
}

function request() {
  http.get(url, { agent, headers: { Accept: "text/event-stream" } }, read);
}

for (let each = 0; each < connections; each += 1) request();
setTimeout(() => {
  console.log(JSON.stringify({ events, bytes, seconds: Number(seconds) }));
  process.exit();
}, seconds * 1000);
