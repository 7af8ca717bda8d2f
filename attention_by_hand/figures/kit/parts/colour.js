// From numbers to colours. What each colour means stands in palette.py.

import { h } from "./dom.js";

/** 256 colours, [r, g, b, 255] each, that pass evenly through the given ones. */
const ramp = (colours) => {
  const strip = h("canvas", { width: 256, height: 1 }).getContext("2d");
  const gradient = strip.createLinearGradient(0.5, 0, 255.5, 0);
  colours.forEach((colour, i) => gradient.addColorStop(i / (colours.length - 1), colour));
  strip.fillStyle = gradient;
  strip.fillRect(0, 0, 256, 1);
  const { data } = strip.getImageData(0, 0, 256, 1);
  return Array.from({ length: 256 }, (_, i) => data.subarray(4 * i, 4 * i + 4));
};

/**
 * A background for a signed value: blue above zero, orange below, paler towards zero; pale enough
 * to read on.
 */
export const tint = (value, most = 1) => {
  const strength = most > 0 ? Math.min(1, Math.abs(value) / most) : 0;
  return `rgb(var(--${value < 0 ? "below" : "above"}) / ${(0.38 * strength).toFixed(3)})`;
};

/**
 * The painter of a figure: draws numbers on a canvas, one pixel a cell; the style sheet enlarges
 * the pixels. From 0 to `most` they are weights, the stronger the further from the page's own tone;
 * `signed` ones, from −most to most, are blue above zero and orange below, laid over whatever lies
 * behind.
 */
export const painter = ({ light, dark, above, below }, isDark) => {
  const ramps = { light: ramp(light), dark: ramp(dark) };
  return (canvas, values, rows, cols, { most = 1, signed = false } = {}) => {
    const weights = ramps[isDark() ? "dark" : "light"];
    const image = new ImageData(cols, rows);
    for (let i = 0; i < rows * cols; i++) {
      const strength = Math.min(255, (255 * Math.abs(values[i])) / most);
      const colour = signed
        ? [...(values[i] < 0 ? below : above), strength]
        : weights[Math.round(strength)];
      image.data.set(colour, 4 * i);
    }
    if (canvas.width !== cols || canvas.height !== rows)
      Object.assign(canvas, { width: cols, height: rows });
    canvas.getContext("2d").putImageData(image, 0, 0);
  };
};
