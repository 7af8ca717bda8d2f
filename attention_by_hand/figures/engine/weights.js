// Weights as they travel: a line of JSON that says what follows, then the numbers, of 32 or 16
// bits, or whole numbers of 8 bits behind the scales of their rows.

import { Tensor } from "./tensor.js";

/** bytes, as `pack` in Python made them -> {config, source, target, weights: {name: Tensor}}. */
export function unpack(bytes) {
  const end = bytes.indexOf(10);
  const { tensors, ...rest } = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const weights = {};
  let at = end + 1;

  /** Sign, five bits of exponent, ten bits of fraction. */
  function half(at) {
    const bits = view.getUint16(at, true);
    const exponent = (bits >> 10) & 31;
    const fraction = (bits & 1023) / 1024;
    const size = exponent ? 2 ** (exponent - 15) * (1 + fraction) : 2 ** -14 * fraction;
    return bits >> 15 ? -size : size;
  }

  const kinds = {
    int8: [1, (at) => view.getInt8(at)],
    float16: [2, half],
    float32: [4, (at) => view.getFloat32(at, true)],
  };

  function numbers(count, kind) {
    const [size, read] = kinds[kind];
    const values = new Float32Array(count);
    for (let i = 0; i < count; i++, at += size) values[i] = read(at);
    return values;
  }

  for (const [name, shape, kind] of tensors) {
    const [rows, columns = 1] = shape;
    const scales = kind === "int8" ? numbers(rows, "float16") : null;
    const data = numbers(rows * columns, kind);
    weights[name] = new Tensor(
      shape,
      scales ? data.map((x, i) => x * scales[Math.floor(i / columns)]) : data,
    );
  }
  return { ...rest, weights };
}
