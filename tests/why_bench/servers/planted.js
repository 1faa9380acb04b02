// A server of node:http whose requests cost one thing more.
"use strict";
const { openSync, writeSync } = require("node:fs");
const { createServer } = require("node:http");

const names = ["port", "loops", "calls", "allocations", "line", "to", "header", "sleep"];
const { values } = require("node:util").parseArgs({
  options: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
});
const of = (name) => Number(values[name] ?? 0);
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

function writeLine(n) {
  if (n > 0) writeSync(file, line);
}

// Nobody wakes it up: the thread sleeps for so many µs.
function sleep(n) {
  if (n > 0) Atomics.wait(nobody, 0, 0, n / 1000);
}

// Called at one place, five functions are too many for V8 to inline one of them.
const works = [
  [arithmetic, of("loops")],
  [call, of("calls")],
  [allocate, of("allocations")],
  [writeLine, of("line")],
  [sleep, of("sleep")],
];

createServer((_, answer) => {
  for (const [work, n] of works) work(n);
  if (more) answer.setHeader("X-More", more);
  answer.setHeader("Content-Type", "text/plain");
  answer.end("Hello, World!");
}).listen(Number(values.port), "127.0.0.1");
