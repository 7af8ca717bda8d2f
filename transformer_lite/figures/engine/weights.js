/* Weights as they travel: a line of JSON that says what follows, then the numbers. A matrix is whole numbers of 8 bits,
   each row with its own scale of 16 bits; a vector has 16 bits a number. Or everything is left at 32 bits. */

import { Tensor } from "./tensor.js";

/* bytes, as `pack` in Python made them -> {config, source, target, weights: {name: Tensor}}. */
export function unpack(bytes) {
  const end = bytes.indexOf(10);
  const { precision, tensors, ...rest } = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const read = {
    int8: [1, (at) => view.getInt8(at)],
    float16: [2, half],
    float32: [4, (at) => view.getFloat32(at, true)],
  };
  let at = end + 1;

  /* Sign, five bits of exponent, ten bits of fraction. */
  function half(at) {
    const bits = view.getUint16(at, true);
    const [exponent, fraction] = [(bits >> 10) & 31, (bits & 1023) / 1024];
    const size = exponent ? 2 ** (exponent - 15) * (1 + fraction) : 2 ** -14 * fraction;
    return bits >> 15 ? -size : size;
  }

  function numbers(count, kind) {
    const [size, one] = read[kind];
    const found = new Float32Array(count);
    for (let i = 0; i < count; i++, at += size) found[i] = one(at);
    return found;
  }

  const weights = {};
  for (const [name, shape] of tensors) {
    const [rows, columns] = [shape[0], shape[1] ?? 1];
    const scales = precision === "int8" && shape.length === 2 ? numbers(rows, "float16") : null;
    const data = numbers(rows * columns, scales ? "int8" : precision === "int8" ? "float16" : precision);
    weights[name] = new Tensor(shape, scales ? data.map((x, i) => x * scales[Math.floor(i / columns)]) : data);
  }
  return { ...rest, weights };
}
