// The nearest flip, sought as `explain` of Python does: a word is left out wherever it occurs, and the rest is classified
// anew. A generator that pauses after each text; it returns { words, label }, or null if nothing is found.

const FLIP_WORDS = 200; // that speak most for the label, left out alone
const FLIP_PARTNERS = 20; // that lower the margin most, left out in pairs
const FLIP_CHARACTERS = 1000000; // of all texts that are classified

function* nearestFlip(classifier, text, label) {
  const code = classifier.classes.indexOf(label), most = Math.max(1, Math.floor(FLIP_CHARACTERS / Math.max(1, text.length)));
  const words = wordsAgainstRunnerUp(classifier, text, label).slice(0, Math.min(FLIP_WORDS, most));

  function* nearest(removals) {
    const tried = [];
    for (const removed of removals) {
      const found = classifier.classify(without(text, removed));
      const others = found.scores.filter((_, k) => k !== code);
      tried.push({ removed, label: found.label, margin: found.scores[code] - others.reduce((a, b) => Math.max(a, b)) });
      yield;
    }
    return tried.sort((x, y) => x.margin - y.margin);
  }

  const flips = (tried) => tried.find((each) => each.label !== label);
  const alone = yield* nearest(words.map((word) => [word]));
  let found = flips(alone);
  if (!found) {
    const pairs = [], partners = alone.slice(0, FLIP_PARTNERS).map((each) => each.removed[0]);
    partners.forEach((first, k) => partners.slice(k + 1).forEach((second) => pairs.push([first, second])));
    found = flips(yield* nearest(pairs.slice(0, most)));
  }
  return found ? { words: found.removed.map((each) => each.word), label: found.label } : null;
}

// The words of a text but marks, those first that speak most for the label and against the runner-up.
function wordsAgainstRunnerUp(classifier, text, label) {
  const found = comparison(classifier, text, label, runnerUp(classifier, text, label)), known = new Map();
  const sign = found.a === label ? 1 : -1;
  for (const { start, end, weight } of wordWeights(classifier, text, found.terms)) {
    const word = text.slice(start, end), key = word.toLowerCase();
    if (/^\p{P}+$/u.test(word)) continue;
    if (!known.has(key)) known.set(key, { word, weight: 0, spans: [] });
    known.get(key).weight += sign * weight;
    known.get(key).spans.push([start, end]);
  }
  return [...known.values()].sort((x, y) => y.weight - x.weight);
}

// The label with the highest score but one.
function runnerUp(classifier, text, label) {
  const { classes } = classifier, { scores } = classifier.classify(text);
  const score = (each) => scores[classes.indexOf(each)];
  return classes.filter((each) => each !== label).reduce((a, b) => (score(b) > score(a) ? b : a));
}

// All at once, for the console: { label, against, words, flip }.
function explain(classifier, text) {
  const label = classifier.predict(text), { a, b, terms } = comparison(classifier, text, label, runnerUp(classifier, text, label));
  const steps = nearestFlip(classifier, text, label);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return { label, against: label === a ? b : a, words: wordWeights(classifier, text, terms), flip: step.value };
}

// A text with a space instead of each occurrence of some words.
function without(text, removed) {
  const spans = removed.flatMap((each) => each.spans).sort((x, y) => x[0] - y[0]);
  let rest = "", at = 0;
  for (const [start, end] of spans) {
    rest += text.slice(at, start) + " ";
    at = end;
  }
  return rest + text.slice(at);
}
