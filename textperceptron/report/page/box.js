// The text box: classifies while one types, and looks for the smallest change that would change the label.

const SLOW_TEXT = 5000; // characters from which the box waits until typing pauses
const FLIP_TOKENS = 400; // words of the longest text for which the nearest flip is sought
const FLIP_WORDS = 40, FLIP_TOGETHER = 8; // words that are left out alone, and together

function startBox(classifier) {
  const box = byId("box"), against = byId("against");
  let waiting = 0, flipping = 0;

  // The labels by score, best first.
  function ranked(scores) {
    return classifier.classes.map((label, k) => ({ label, score: scores[k] })).sort((x, y) => y.score - x.score);
  }

  function show() {
    const text = box.value, { label, scores, probabilities } = classifier.classify(text);
    const others = ranked(scores).filter((each) => each.label !== label);
    const chosen = others.find((each) => String(each.label) === (against && against.value)) || others[0];
    const found = comparison(classifier, text, label, chosen.label), side = label === found.a ? "a" : "b";
    const probability = probabilities && probabilities[classifier.classes.indexOf(label)];
    replaceContent(byId("label"), labelMark(label, side),
      ` score ${signed(scores[classifier.classes.indexOf(label)])}`,
      probability === null ? "" : `, probability ${(100 * probability).toFixed(1)} %`);
    replaceContent(byId("words"), ...tintedNodes(text, tokenWeights(classifier, text, found.terms)));
    showSum(found);
    showTerms(found);
    if (against) showClasses(label, others, chosen.label);
    replaceContent(byId("legend"), legend(found.a, found.b));
    clearTimeout(flipping);
    replaceContent(byId("flip"), text.trim() ? "Nearest flip: …" : "");
    flipping = setTimeout(() => showFlip(text, label), 100);
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

  function showClasses(label, others, shown) {
    const labels = others.map((each) => String(each.label));
    if ([...against.options].map((option) => option.value).join() !== labels.join()) {
      against.replaceChildren(...labels.map((each) => element("option", { value: each }, each)));
    }
    against.value = String(shown);
    replaceContent(byId("runners-up"), `${label} before `, others.slice(0, 4).map((each) =>
      `${each.label} ${signed(each.score)}`).join(", "), others.length > 4 ? ", …" : "");
  }

  function showFlip(text, label) {
    if (!text.trim()) return;
    const found = nearestFlip(classifier, text, label);
    if (found === null) {
      replaceContent(byId("flip"), "Nearest flip: none found; no few words carry this label alone.");
    } else if (found === "long") {
      replaceContent(byId("flip"), `Nearest flip: not sought in texts of more than ${FLIP_TOKENS} words.`);
    } else {
      const words = found.words.flatMap((word, k) => [k ? (k === found.words.length - 1 ? " and " : ", ") : "",
        element("em", null, nameOf(word))]);
      replaceContent(byId("flip"), "Nearest flip: without ", ...words, " it would be ", element("strong", null, nameOf(found.label)), ".");
    }
  }

  box.addEventListener("input", () => {
    clearTimeout(waiting);
    if (box.value.length < SLOW_TEXT) show();
    else {
      replaceContent(byId("label"), "…");
      waiting = setTimeout(show, 300);
    }
  });
  if (against) against.addEventListener("change", show);
  for (const button of document.querySelectorAll("button.example")) {
    button.addEventListener("click", () => {
      box.value = button.dataset.text;
      box.focus();
      show();
    });
  }
  show();
}

// The fewest words without which a text gets another label: one, if one is enough, else the strongest together. All
// occurrences of a word are left out, and the rest is classified anew. { words, label }, "long" or null.
function nearestFlip(classifier, text, label) {
  const tokens = classifier.tokens(text);
  if (tokens.length > FLIP_TOKENS) return "long";
  const terms = classifier.classify(text, label).terms, words = new Map();
  tokenWeights(classifier, text, terms).forEach(({ start, end, weight }) => {
    const word = text.slice(start, end), key = word.toLowerCase();
    const known = words.get(key) || { word, weight: 0, spans: [] };
    known.weight += weight;
    known.spans.push([start, end]);
    words.set(key, known);
  });
  const candidates = [...words.values()].sort((x, y) => y.weight - x.weight);
  const labelWithout = (some) => {
    const spans = some.flatMap((each) => each.spans).sort((x, y) => x[0] - y[0]);
    let rest = "", at = 0;
    for (const [start, end] of spans) {
      rest += text.slice(at, start);
      at = end;
    }
    return classifier.predict(rest + text.slice(at));
  };
  for (const each of candidates.slice(0, FLIP_WORDS)) {
    const other = labelWithout([each]);
    if (other !== label) return { words: [each.word], label: other };
  }
  for (let n = 2; n <= Math.min(FLIP_TOGETHER, candidates.length - 1); n++) {
    const some = candidates.slice(0, n);
    if (some[n - 1].weight <= 0) break;
    const other = labelWithout(some);
    if (other !== label) return { words: some.map((each) => each.word), label: other };
  }
  return null;
}
