// Words tinted by their weight: side a is solid underlined, side b dashed.

// What speaks for one label and against another: { a, b, terms, intercept, total }. The contributions and the intercept
// add up to the total, which is above 0 if a wins. With two labels, a is always the second, so that colours keep their
// meaning, and the total is its score.
function comparison(classifier, text, first, second) {
  const { classes } = classifier;
  if (classes.length === 2) {
    const [b, a] = classes, { terms } = classifier.classify(text, a);
    return summed(a, b, terms, classifier.intercept(a));
  }
  const terms = classifier.classify(text, first).terms, against = classifier.classify(text, second).terms;
  terms.forEach((term, k) => { term.contribution -= against[k].contribution; });
  return summed(first, second, terms, classifier.intercept(first) - classifier.intercept(second));
}

function summed(a, b, terms, intercept) {
  return { a, b, terms, intercept, total: terms.reduce((sum, term) => sum + term.contribution, intercept) };
}

// The words of a text with their weights, as `explain` of Python has them. A term shares its contribution equally among
// the words that it is made of: an n-gram among all of them, a conjunction between its two ends.
function wordWeights(classifier, text, terms) {
  const words = classifier.words(text).map(({ start, end }) => ({ start, end, weight: 0 }));
  const starts = words.map((word) => word.start);
  for (const term of terms) {
    let first = upperBound(starts, term.start) - 1;
    if (first < 0 || words[first].end <= term.start) first++;
    let last = first;
    while (last + 1 < words.length && words[last + 1].start < term.end) last++;
    if (first >= words.length || words[first].start >= Math.max(term.end, term.start + 1)) continue;
    if (last - first > 1 && term.name.includes("-and-")) {
      words[first].weight += term.contribution / 2;
      words[last].weight += term.contribution / 2;
    } else {
      for (let k = first; k <= last; k++) words[k].weight += term.contribution / (last - first + 1);
    }
  }
  return words;
}

// The number of ascending numbers that are at most `limit`.
function upperBound(numbers, limit) {
  let low = 0, high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

const MAX_TINTED = 20000; // characters: more elements would slow the page down

// Nodes that show a text with its words tinted.
function tintedNodes(text, words) {
  const largest = words.reduce((most, word) => Math.max(most, Math.abs(word.weight)), 0);
  const nodes = [];
  let at = 0;
  for (const { start, end, weight } of words) {
    if (start >= MAX_TINTED) break;
    const strength = largest > 0 ? Math.ceil((4 * Math.abs(weight)) / largest - 0.5) : 0;
    if (strength < 1) continue;
    nodes.push(text.slice(at, start));
    nodes.push(element("span", { class: `word ${weight > 0 ? "a" : "b"} strength${strength}`, title: signed(weight) },
      text.slice(start, end)));
    at = end;
  }
  nodes.push(text.slice(at, Math.max(at, MAX_TINTED)));
  if (text.length > MAX_TINTED) nodes.push(` … and ${grouped(text.length - MAX_TINTED)} more characters`);
  return nodes;
}

function legend(a, b) {
  return element("p", { class: "legend" },
    "Words for ", element("span", { class: "word a strength3" }, nameOf(a)), " are underlined, words for ",
    element("span", { class: "word b strength3" }, nameOf(b)), " dashed; stronger colour, larger weight.");
}
