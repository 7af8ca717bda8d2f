// Letters that are as large as their box allows.

/**
 * Makes the letters of a line smaller where it would be wider than its box: from `most` pixels down
 * to `least`.
 */
export const fit = (line, most, least) => {
  line.style.fontSize = `${most}px`;
  const wide = line.scrollWidth;
  const room = line.clientWidth;
  if (wide <= room) return;
  line.style.fontSize = `${Math.max(least, Math.floor((most * room) / wide))}px`;
};
