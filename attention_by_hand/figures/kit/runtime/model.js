// The traits of a figure: anywidget's model, or the host's where there is no kernel.

/** Sets traits together and tells the kernel, where there is one; equal values are left alone. */
export const put = (model, values) => {
  for (const [trait, value] of Object.entries(values))
    if (model.get(trait) !== value) model.set(trait, value);
  model.save_changes();
};

/** Keeps sliders within the ends that another control decides, as Python does: see Control.by. */
export const fitEnds = (model, changed) => {
  for (const [last, { trait, by, ends }] of Object.entries(model.get("frame").ends)) {
    if (!by.includes(changed)) continue;
    const end = by.reduce((inner, name) => inner[model.get(name)], ends);
    put(model, { [last]: end, [trait]: Math.min(model.get(trait), end) });
  }
};

/** Keeps doing so whenever a trait that decides changes. */
export const keepFitting = (model) => {
  const deciding = Object.values(model.get("frame").ends).flatMap(({ by }) => by);
  for (const name of new Set(deciding)) model.on(`change:${name}`, () => fitEnds(model, name));
};
