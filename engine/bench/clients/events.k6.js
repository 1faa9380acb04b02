// A k6 script for server-sent events, with the extension xk6-sse. It prints, as JSON, how many events
// came, and within how many seconds.
import sse from "k6/x/sse";

export default function () {
  sse.open(__ENV.URL, {}, (client) => {
    client.on("event", () => {});
    client.on("error", (error) => {
      throw new Error(error.error());
    });
  });
}

export function handleSummary(data) {
  const events = data.metrics.sse_event.values.count;
  return { stdout: JSON.stringify({ events, seconds: data.state.testRunDurationMs / 1000 }) };
}
