// Numbers as Python packed them: see kit/packed.py. Each of these reads the number at place i.

/** @param {DataView} bytes */
export const shareAt = (bytes, i) => bytes.getUint8(i) / 255;

/**
 * The shares at `count` places from `start` on, as their bytes.
 *
 * @param {DataView} bytes
 */
export const sharesFrom = ({ buffer, byteOffset }, start, count) =>
  new Uint8Array(buffer, byteOffset + start, count);

/** @param {DataView} bytes */
export const smallAt = (bytes, i, most) => (bytes.getInt8(i) / 127) * most;

/** @param {DataView} bytes */
export const fineAt = (bytes, i, most) => (bytes.getInt16(2 * i, true) / 32767) * most;

/** @param {DataView} bytes */
export const fixedAt = (bytes, i) =>
  bytes.getInt8(i) + bytes.getUint8(bytes.byteLength / 2 + i) / 256;
