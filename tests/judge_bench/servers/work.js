// A server of node:http whose requests cost so many units of one kind of work.
"use strict";
const { openSync, readSync } = require("node:fs");
const { createServer } = require("node:http");
const { values } = require("node:util").parseArgs({
  options: { port: { type: "string" }, kind: { type: "string" }, units: { type: "string" } },
});

const WORDS = 1 << 20;
const KEPT = 1024;
const units = Number(values.units);
const chain = new Uint32Array(WORDS);
const ring = new Array(KEPT);
const zero = openSync("/dev/zero");
const byte = new Uint8Array(1);
let sink = 1;
let place = 0;
let next = 0;

const works = {
  arithmetic() {
    for (let n = 0; n < 20 * units; n++) sink = (Math.imul(sink, 1664525) + 1013904223) | 0;
  },
  // Dependent loads all over 4 MiB: each waits for the one before it.
  memory() {
    for (let n = 0; n < units; n++) place = chain[place];
  },
  syscalls() {
    for (let n = 0; n < units; n++) readSync(zero, byte, 0, 1, null);
  },
  allocation() {
    for (let n = 0; n < units; n++, next++) ring[next % KEPT] = { next, kept: [n, n, n, n] };
  },
};

for (let n = 0; n < WORDS; n++) chain[n] = n;
let chance = 7;
for (let n = WORDS - 1; n > 0; n--) {
  // Sattolo's shuffle: a single cycle through all of them.
  chance = (Math.imul(chance, 1664525) + 1013904223) >>> 0;
  const other = Math.floor((chance / 2 ** 32) * n);
  [chain[n], chain[other]] = [chain[other], chain[n]];
}

const work = works[values.kind];
createServer((_, answer) => {
  work();
  answer.setHeader("Content-Type", "text/plain");
  answer.end("Hello, World!");
}).listen(Number(values.port), "127.0.0.1");
