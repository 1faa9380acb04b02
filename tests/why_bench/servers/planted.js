// A server of node:http whose requests cost one thing more.
"use strict";
const { openSync, writeSync } = require("node:fs");
const { createServer } = require("node:http");

const names = ["port", "loops", "calls", "allocations", "line", "to", "header", "sleep"];
const { values } = require("node:util").parseArgs({
  options: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
});
const of = (name) => Number(values[name] ?? 0);
const [loops, calls, allocations, sleep] = ["loops", "calls", "allocations", "sleep"].map(of);
const file = values.line ? openSync(values.to, "a") : null;
const line = `${".".repeat(Math.max(of("line") - 1, 0))}\n`;
const more = "x".repeat(of("header"));
const nobody = new Int32Array(new SharedArrayBuffer(4));
const kept = new Array(1024);
let sink = 1;

function arithmetic(n) {
  let x = sink;
  for (; n > 0; n--) x = (Math.imul(x, 1664525) + 1013904223) | 0;
  sink = x;
}

function call(n) {
  for (; n > 0; n--) sink ^= process.ppid;
}

function allocate(n) {
  for (let i = 0; i < n; i++) kept[i % kept.length] = { next: i, held: [i, i, i, i] };
}

function writeLine() {
  writeSync(file, line);
}

createServer((_, answer) => {
  if (loops > 0) arithmetic(loops);
  if (calls > 0) call(calls);
  if (allocations > 0) allocate(allocations);
  if (file) writeLine();
  // Nobody wakes it up: the thread sleeps for so many ms.
  if (sleep > 0) Atomics.wait(nobody, 0, 0, sleep / 1000);
  if (more) answer.setHeader("X-More", more);
  answer.setHeader("Content-Type", "text/plain");
  answer.end("Hello, World!");
}).listen(Number(values.port), "127.0.0.1");
