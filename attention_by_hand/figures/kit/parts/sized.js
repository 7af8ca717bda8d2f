// What is placed by measuring is placed again when the measure changes.

/** Draws what lies where it is measured whenever the node has another size, and for paper. */
export const whenSized = (base, node, draw) => {
  const watch = new ResizeObserver(() => draw());
  watch.observe(node);
  base.ended.addEventListener("abort", () => watch.disconnect());
  addEventListener("beforeprint", () => draw(), { signal: base.ended });
};
