// What an exported file does with its `model`: a global variable in a page, a module and a program in Node.
if ("é".length !== 1) throw new Error("this file is UTF-8, but was read as something else: serve it with charset=utf-8");
const classifier = textClassifier(model);
if (typeof module === "object" && module.exports) {
  module.exports = classifier;
  if (require.main === module) {
    const shown = (label) => String(label).replace(/[\0-\x1f\x7f-\x9f\u2028\u2029]/g, (control) =>
      "\\u" + control.charCodeAt(0).toString(16).padStart(4, "0"));
    const lines = require("fs").readFileSync(0, "utf8").split("\n");
    if (lines[lines.length - 1] === "") lines.pop();
    for (const line of lines) {
      const { label, scores } = classifier.classify(line.replace(/\r$/, ""));
      process.stdout.write([shown(label), ...scores.map((score) => Number(score.toPrecision(6)))].join("\t") + "\n");
    }
  }
} else {
  globalThis.textperceptron = classifier;
}
