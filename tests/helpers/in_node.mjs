// Evaluates what tests send, a line of JSON each, in a Node process that has each module as a variable: see in_node.py.

import { basename } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

for (const file of process.argv.slice(2)) {
  globalThis[basename(file, ".js")] = await import(pathToFileURL(file));
}

globalThis.finish = (work) => {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
};
globalThis.numbers = (x) => Array.from(x.data ?? x);
globalThis.written = (model, source, beam = 1) => {
  if (beam === 1) return Array.from(decoding.greedy(model, source), ({ id }) => id);
  return Array.from(decoding.beamSearch(model, source, beam)).at(-1).ids.slice(1);
};
globalThis.opened = (text) => weights.unpack(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));

// JSON has no NaN and no infinity: Python's json module reads these names.
const written = (value) => {
  if (Array.isArray(value)) return `[${value.map(written).join()}]`;
  if (typeof value === "number") return Object.is(value, -0) ? "-0.0" : String(value);
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  return `{${Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}:${written(part)}`)}}`;
};

for await (const line of createInterface({ input: process.stdin })) {
  const { code, argument } = JSON.parse(line);
  let answer;
  try {
    const result = (0, eval)(`(${code})`);
    answer = { value: await (typeof result === "function" ? result(argument) : result) };
  } catch (error) {
    answer = { error: error.stack };
  }
  process.stdout.write(`${written(answer)}\n`);
}
process.exit(); // also where a module still waits for messages
