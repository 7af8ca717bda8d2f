// Heads in memory: the blocks of a sentence's numbers, who is given which, and where a head's numbers are read.

const figure = {
  render({ model, el }) {
    const base = frame(el, model, { name: "Heads in memory" });
    const { root, body, say } = base;
    const at = (trait) => model.get(trait);
    const [T, H, D] = [at("n_tokens"), at("n_heads"), at("d_model")];
    const d = D / H;
    const stored = at("numbers");
    const memory = Float64Array.from({ length: T * D }, (_, i) => (stored.getInt16(2 * i, true) / 32767) * at("most"));
    // What .contiguous() writes after the transpose: head by head.
    const copied = Float64Array.from({ length: T * D }, (_, i) => {
      const [head, token, k] = [Math.floor(i / (T * d)), Math.floor(i / d) % T, i % d];
      return memory[token * D + head * d + k];
    });

    /** Each step: its shape, its strides, and the row of numbers that it reads. */
    const steps = {
      projected: { code: "y = linear(x)", shape: [T, D], strides: [D, 1], row: memory },
      view: { code: "y.view(T, H, d_k)", shape: [T, H, d], strides: [D, d, 1], row: memory },
      transpose: { code: "y.view(T, H, d_k).transpose(0, 1)", shape: [H, T, d], strides: [d, D, 1], row: memory },
      contiguous: {
        code: "y.view(T, H, d_k).transpose(0, 1).contiguous()", shape: [H, T, d], strides: [T * d, d, 1], row: copied,
      },
      "wrong view": { code: "y.view(H, T, d_k)", shape: [H, T, d], strides: [T * d, d, 1], row: memory },
    };
    /** Where the numbers of [head, token] begin. */
    const offsetOf = (step, head, token) => {
      const [a, b] = steps[step].strides;
      if (step === "projected") return token * a + head * d;
      return step === "view" ? token * a + head * b : head * a + token * b;
    };

    body.className = "body grids heads-in-memory";
    const code = h("p", { className: "title" });
    const facts = h("p", { className: "terms" });
    const list = h("p", { className: "terms numbers" });
    const strip = h("canvas", { className: "pixels", "aria-hidden": "true" });
    const mark = h("div", { className: "slice" });
    const stripName = h("p", { className: "note" });
    const panels = h("div", { className: "panels" });
    body.append(
      h("div", { className: "work" }, code, facts, list),
      stripName, h("div", { className: "strip" }, strip, mark), panels,
    );
    const cells = matrix(
      panels, "memory", `${T * H} blocks of ${d} numbers, in order; in each: [head, token]`,
      Array.from({ length: T }, (_, i) => [`from ${i * D}`]), Array.from({ length: H }, (_, j) => `${j}`),
    );
    const verdict = h("p", { className: "title verdict" });
    body.append(verdict);
    const slice = table("the numbers of the chosen head and token", Array.from({ length: d }, (_, k) => `${k}`), ["offset", "read", "should be"]);
    base.numbers.append(slice.node);

    const update = () => {
      const step = at("steps")[at("step")];
      const [head, token] = [at("head"), at("token")];
      const { code: text, shape, strides, row } = steps[step];
      const offset = offsetOf(step, head, token);
      const right = token * D + head * d;
      code.textContent = text;
      const sizes = `shape (${shape.join(", ")}), strides (${strides.join(", ")})`;
      facts.textContent = `${sizes}${step === "contiguous" ? ", new memory" : ", same memory"}`;
      const read = Array.from({ length: d }, (_, k) => row[offset + k]);
      const first = read.slice(0, 4).map((v) => signed(v, 3)).join(", ");
      const place = step === "projected" ? `y[${token}, ${head * d}:${(head + 1) * d}]` : step === "view" ? `[${token}, ${head}]` : `[${head}, ${token}]`;
      list.replaceChildren(h("b", {}, place), ` is places ${offset} to ${offset + d - 1}: ${first}${d > 4 ? ", …" : ""}`);

      const owned = new Map();
      let agree = 0;
      for (let a = 0; a < H; a++) {
        for (let b = 0; b < T; b++) {
          const block = offsetOf(step, a, b) / d;
          owned.set(block, [a, b]);
          if (row === copied || block === b * H + a) agree++;
        }
      }
      cells.forEach((line, i) =>
        line.forEach((cell, j) => {
          const [a, b] = owned.get(i * H + j);
          cell.textContent = `${a},${b}`;
          const chosen = a === head && b === token;
          cell.className = `${chosen ? "chosen" : ""} ${a === head ? "on" : ""}`;
        }),
      );
      const line = Math.floor(offset / D);
      paintSigned(strip, row.subarray(line * D, (line + 1) * D), 1, D, at("most"));
      mark.style.left = `${(100 * (offset - line * D)) / D}%`;
      mark.style.width = `${(100 * d) / D}%`;
      stripName.textContent = `places ${line * D} to ${(line + 1) * D - 1} (blue above 0, orange below); outlined: what head ${head} reads for token ${token}`;
      const share = (100 * agree) / (T * H);
      verdict.textContent =
        agree === T * H
          ? `Head ${head} has numbers ${head * d} to ${(head + 1) * d - 1} of every token.`
          : `${agree} of ${T * H} blocks (${share.toFixed(2)} %) are where they belong. Head ${head} reads ${T} blocks in a row.`;
      verdict.classList.toggle("leaks", agree < T * H);
      read.forEach((value, k) => {
        slice.texts[3 * k].data = `${offset + k}`;
        slice.texts[3 * k + 1].data = signed(value);
        slice.texts[3 * k + 2].data = signed(memory[right + k]);
      });
      Object.assign(root.dataset, { step, head, token, offset, agree });
      say(`${step}, head ${head}, token ${token}: places ${offset} to ${offset + d - 1}, beginning ${first}`);
    };
    for (const trait of ["step", "head", "token"]) model.on(`change:${trait}`, update);
    update();
    return () => base.dispose();
  },
};

export default figure;
