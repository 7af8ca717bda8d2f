// Sets formulas with MathJax: `node typeset.js FOLDER`, where FOLDER is MathJax's own. Each line of
// standard input is a formula as JSON, {"tex": ..., "display": true}; each is answered by a line,
// {"html": ...} or {"error": ...}. The first line of the answers is the style sheet of all that can
// be set, {"style": ...}.

const readline = require("node:readline");

const folder = process.argv[2];
const say = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);

const main = async () => {
  const MathJax = await require(`${folder}/node-main.js`).init({
    loader: {
      paths: { mathjax: folder },
      load: [
        "input/tex-base",
        "[tex]/ams",
        "[tex]/boldsymbol",
        "output/chtml",
        "adaptors/liteDOM",
        "a11y/assistive-mml",
      ],
      versionWarnings: false,
    },
    tex: {
      packages: ["base", "ams", "boldsymbol"],
      formatError: (_, error) => {
        throw error;
      },
    },
    chtml: { adaptiveCSS: false, fontURL: "." },
    startup: { typeset: false },
  });
  const { adaptor } = MathJax.startup;
  say({ style: adaptor.textContent(MathJax.chtmlStylesheet()) });
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const { tex, display } = JSON.parse(line);
    try {
      say({ html: adaptor.outerHTML(MathJax.tex2chtml(tex, { display })) });
    } catch (error) {
      say({ error: error.message });
    }
  }
};

main();
