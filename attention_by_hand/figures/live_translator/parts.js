// The parts of the machine that can be cut out: their names, and which of them lie in which.

const BOXES = {
  encoder: ["self_attention", "feed_forward"],
  decoder: ["self_attention", "cross_attention", "feed_forward"],
};
export const STACKS = Object.keys(BOXES);

export const boxesOf = (stack) => BOXES[stack];

/** What a box is called. */
export const labelOf = (box) => box.replace("_", "-");

/** Where a layer stands: the lower one of two, or its number. */
const which = (stack, layer, { layers }) => {
  if (layers === 1) return `${stack} layer`;
  if (layers === 2) return `${["lower", "upper"][layer]} ${stack} layer`;
  return `${stack} layer ${layer}`;
};

/** A part as one says it: "head 3 of the cross-attention in the upper decoder layer". */
export const nameOf = (part, sizes, switches) => {
  const [stack, layer, box, head] = part.split(".");
  if (layer === undefined) return switches.find(([name]) => name === part)[1];
  const place = which(stack, layer, sizes);
  if (box === undefined) return place;
  const named = `${labelOf(box)} in the ${place}`;
  return head === undefined ? named : `head ${head} of the ${named}`;
};

/** An attention in the shortest way: "upper cross-attention", "lower self-attention, encoder". */
export const shortNameOf = (box, { layers }) => {
  const [stack, layer, attention] = box.split(".");
  const place = layers === 2 ? ["lower ", "upper "][layer] : `layer ${layer}, `;
  const where = attention === "self_attention" ? `, ${stack}` : "";
  return `${layers === 1 ? "" : place}${labelOf(attention)}${where}`;
};

/** The head whose look is {kind, layer, head}. */
export const headOf = ({ kind, layer, head }) => {
  const stack = kind === "encoder" ? "encoder" : "decoder";
  const box = kind === "cross" ? "cross_attention" : "self_attention";
  return `${stack}.${layer}.${box}.${head}`;
};

/** And the look of a head; null for another part. */
export const headNamed = (part) => {
  const [stack, layer, box, head] = part?.split(".") ?? [];
  if (head === undefined) return null;
  const kind = box === "cross_attention" ? "cross" : stack;
  return { kind, layer: Number(layer), head: Number(head) };
};

/** The cut that takes a part out, itself or one that it lies in; or undefined. */
export const cutOf = (part, off) => {
  const [stack, layer, box] = part.split(".");
  const around = [part];
  if (box !== undefined) around.push(`${stack}.${layer}.${box}`, `${stack}.${layer}`);
  if (box === "feed_forward") around.push("feed_forward");
  return around.find((one) => off.includes(one));
};
