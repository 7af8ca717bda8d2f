// Dragging with a mouse, a pen or a finger. The keyboard has the control that the picture stands
// for.

/**
 * What a browser asks how a finger may move on `node`: of all that is inside a picture, the picture
 * as a whole. Along y it would then scroll no longer: that needs an element of its own.
 */
const touched = (node, axis) => {
  const inPicture = node instanceof SVGElement && node.tagName !== "svg";
  if (inPicture && axis !== "x") {
    throw new Error(
      `drag: <${node.tagName}> cannot be dragged along ${axis}: browsers heed touch-action on a whole SVG ` +
        "only, so a finger would scroll the page; lay an HTML element over it and drag that",
    );
  }
  return node.ownerSVGElement ?? node;
};

const TOUCH = { x: "pan-y", y: "pan-x", both: "none" }; // what the browser may still do with a finger
const FAR = 8; // pixels along the axis: from where on a finger drags, and does not scroll the page

/**
 * Calls `move` while `node` is dragged, from the press on, and `done` when it is let go. A finger
 * drags along `axis`; across it, it scrolls the page, and nothing is moved. So it is only when it
 * has gone along the axis, or is lifted, that `move` is told where it began. A handle that is pulled
 * along both axes follows at once.
 *
 * @param {any} node an element of HTML or SVG
 * @param {object} how
 * @param {(event: PointerEvent) => void} how.move
 * @param {(event: PointerEvent) => void} [how.done]
 * @param {"x" | "y" | "both"} [how.axis]
 */
export const drag = (node, { move, done = () => {}, axis = "x" }) => {
  touched(node, axis).style.touchAction = TOUCH[axis];
  node.classList.add("draggable");
  let press = null; // of a finger that has not gone far yet
  const begin = () => {
    if (press) move(press);
    press = null;
  };
  const isFar = ({ clientX, clientY }) => {
    const [x, y] = [Math.abs(clientX - press.clientX), Math.abs(clientY - press.clientY)];
    return axis === "x" ? x >= FAR && x > y : y >= FAR && y > x;
  };
  const follow = (event) => {
    event.preventDefault();
    if (press && !isFar(event)) return;
    begin();
    move(event);
  };
  node.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    node.setPointerCapture(event.pointerId);
    node.addEventListener("pointermove", follow);
    if (event.pointerType === "touch" && axis !== "both") press = event;
    else follow(event);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    node.addEventListener(end, (event) => {
      node.removeEventListener("pointermove", follow);
      if (end === "pointerup") begin();
      press = null;
      done(event);
    });
  }
};

/** Where a pointer is in the own coordinates of an SVG element. */
export const pointIn = (svg, { clientX, clientY }) =>
  new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
