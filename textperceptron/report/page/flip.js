// The nearest flip, sought as `explain` of Python does: a word is left out wherever it occurs, and the rest is classified
// anew. A generator that pauses after each text; it returns { words, label }, or null if nothing is found.

const FLIP_WORDS = 200; // that speak most for the label, left out alone
const FLIP_PARTNERS = 20; // that lower the margin most, left out in pairs
const FLIP_CHARACTERS = 1000000; // of all texts that are classified

function* nearestFlip(classifier, text, { label, words: weights, sign }) {
  const code = classifier.classes.indexOf(label), most = Math.max(1, Math.floor(FLIP_CHARACTERS / Math.max(1, text.length)));
  const words = candidates(text, weights, sign).slice(0, Math.min(FLIP_WORDS, most));

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

// The words of a text but marks, those first whose weights, times `sign`, speak most for the label.
function candidates(text, weights, sign) {
  const known = new Map();
  for (const { start, end, weight } of weights) {
    const word = text.slice(start, end), key = word.toLowerCase();
    if (/^\p{P}+$/u.test(word)) continue;
    if (!known.has(key)) known.set(key, { word, weight: 0, spans: [] });
    known.get(key).weight += sign * weight;
    known.get(key).spans.push([start, end]);
  }
  return [...known.values()].sort((x, y) => y.weight - x.weight);
}

// What the page says about a text: { label, scores, probabilities, others, against, found, words, sign }. It is explained against
// `against`, or the runner-up; `found` is the comparison, and `sign` says whether its weights above 0 are for the label.
function explained(classifier, text, against) {
  const { classes } = classifier, { label, scores, probabilities } = classifier.classify(text);
  const score = (each) => scores[classes.indexOf(each)];
  const others = classes.filter((each) => each !== label).sort((x, y) => score(y) - score(x));
  const other = others.includes(against) ? against : others[0];
  const found = comparison(classifier, text, label, other);
  const words = wordWeights(classifier, text, found.terms), sign = found.a === label ? 1 : -1;
  return { label, scores, probabilities, others, against: other, found, words, sign };
}

// All at once, for the console: { label, against, words, flip }.
function explain(classifier, text) {
  const { label, against, words, sign } = explained(classifier, text), steps = nearestFlip(classifier, text, { label, words, sign });
  let step = steps.next();
  while (!step.done) step = steps.next();
  return { label, against, words, flip: step.value };
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
