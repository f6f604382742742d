// The text box: classifies while one types, and looks for the smallest change that would change the label.

const SLOW_TEXT = 5000; // characters from which the box waits until typing pauses

function startBox(classifier) {
  const box = byId("box"), against = byId("against");
  let waiting = 0, flipping = 0, chosen; // the label that the reader chose to compare with

  function show() {
    const text = box.value, now = explained(classifier, text, chosen), { label, scores, probabilities, others, found } = now;
    const code = classifier.classes.indexOf(label);
    replaceContent(byId("label"), labelMark(label, now.sign > 0 ? "a" : "b"), ` score ${signed(scores[code])}`,
      probabilities ? `, probability ${(100 * probabilities[code]).toFixed(1)} %` : "");
    replaceContent(byId("words"), ...tintedNodes(text, now.words));
    showSum(found);
    showTerms(found);
    if (against) showClasses(label, others, scores, now.against);
    replaceContent(byId("legend"), legend(found.a, found.b));
    clearTimeout(flipping);
    replaceContent(byId("flip"), text.trim() ? "Nearest flip: …" : "");
    if (!text.trim()) return;
    flipping = setTimeout(() => {
      const nearest = now.against === others[0] ? now : explained(classifier, text);
      seekFlip(nearestFlip(classifier, text, nearest));
    }, 100);
  }

  function showSum({ a, b, terms, intercept, total }) {
    let pro = 0, contra = 0;
    for (const { contribution } of terms) {
      if (contribution > 0) pro += contribution;
      else contra += contribution;
    }
    replaceContent(byId("sum"), "Sum: ", signed(pro), " for ", nameOf(a), ", ", signed(contra), " for ", nameOf(b), ", ",
      signed(intercept), " before any word = ", element("strong", null, signed(total)), " (above 0 for ", nameOf(a), ")",
      terms.length ? "" : ". The model knows none of the words.");
  }

  function showTerms({ a, terms }) {
    const sums = new Map();
    for (const { name, contribution } of terms) sums.set(name, (sums.get(name) || 0) + contribution);
    const rows = [...sums].sort((x, y) => Math.abs(y[1]) - Math.abs(x[1])).slice(0, 30);
    replaceContent(byId("term-rows"), ...rows.map(([name, sum]) =>
      element("tr", null, element("th", { scope: "row" }, nameOf(name)), element("td", null, signed(sum)))));
    replaceContent(byId("term-head"), "for ", nameOf(a));
  }

  function showClasses(label, others, scores, shown) {
    const labels = others.map(String), score = (each) => signed(scores[classifier.classes.indexOf(each)]);
    if ([...against.options].map((option) => option.value).join() !== labels.join()) {
      against.replaceChildren(...labels.map((each) => element("option", { value: each }, each)));
    }
    against.value = String(shown);
    replaceContent(byId("runners-up"), `${label} before `, others.slice(0, 4).map((each) => `${each} ${score(each)}`).join(", "),
      others.length > 4 ? ", …" : "");
  }

  // Search in steps of a few milliseconds, so that keys are never kept waiting.
  function seekFlip(steps) {
    const until = performance.now() + 15;
    let step;
    do step = steps.next(); while (!step.done && performance.now() < until);
    if (step.done) showFlip(step.value);
    else flipping = setTimeout(() => seekFlip(steps), 0);
  }

  function showFlip(found) {
    if (found === null) {
      replaceContent(byId("flip"), "Nearest flip: no word and no two words carry this label alone.");
      return;
    }
    const words = found.words.flatMap((word, k) => [k ? " and " : "", element("em", null, nameOf(word))]);
    replaceContent(byId("flip"), "Nearest flip: without ", ...words, " it would be ",
      element("strong", null, nameOf(found.label)), ".");
  }

  box.addEventListener("input", () => {
    clearTimeout(waiting);
    if (box.value.length < SLOW_TEXT) show();
    else {
      replaceContent(byId("label"), "…");
      waiting = setTimeout(show, 300);
    }
  });
  if (against) {
    against.addEventListener("change", () => {
      chosen = classifier.classes.find((each) => String(each) === against.value);
      show();
    });
  }
  for (const button of document.querySelectorAll("button.example")) {
    button.addEventListener("click", () => {
      box.value = button.dataset.text;
      box.focus();
      show();
    });
  }
  show();
}

