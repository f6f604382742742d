// Start after the first paint: reading a large model takes a tenth of a second.

function start() {
  const model = dataOf("model-data"), data = dataOf("page-data");
  const classifier = model && textClassifier(model);
  startMistakes(classifier);
  if (classifier) {
    startBox(classifier);
    if (model.names !== null) startTerms(classifier, model, data);
  }
  // For the console: textperceptron.classify("…")
  if (classifier) globalThis.textperceptron = { ...classifier, explain: (text) => explain(classifier, text) };
  document.documentElement.dataset.started = "yes";
}

for (const button of document.querySelectorAll("button.copy")) {
  button.addEventListener("click", () => {
    const selection = getSelection();
    selection.selectAllChildren(byId(button.dataset.copies));
    document.execCommand("copy"); // works without permission, from file:// too
    replaceContent(button, "copied");
  });
}
setTimeout(start, 0);
