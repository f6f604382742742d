// The scatter of terms: how many texts have a term, and its weight. Drawn on a canvas; the buttons below it reach the
// same terms by keyboard.

function startTerms(classifier, model, data) {
  const canvas = byId("scatter");
  if (!canvas) return;
  const search = byId("term-search"), chosenClass = byId("term-class"), { classes } = classifier;
  const counts = varints(data.frequency, data.n_words);
  const names = model.names.slice(0, data.n_words), lower = names.map((name) => String(name).toLowerCase());
  let weights = new Float64Array(names.length), points = [], byWeight = [], marked = new Set(), current = -1, sentencesOf = null;

  const labelShown = () => (chosenClass ? classes[chosenClass.selectedIndex] : classes[1]);
  const otherSide = () => (chosenClass ? "other classes" : String(classes[0]));

  function readWeights() {
    const label = labelShown();
    names.forEach((name, k) => { weights[k] = typeof name === "string" ? classifier.weight(name, label) : 0; });
    byWeight = Array.from(weights.keys()).sort((j, k) => Math.abs(weights[k]) - Math.abs(weights[j]));
    draw();
    list();
  }

  // ---- Drawing --------------------------------------------------------------------------------------------------------

  function draw() {
    const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width) return;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const pen = canvas.getContext("2d"), style = getComputedStyle(canvas);
    const colour = (name) => style.getPropertyValue(name).trim();
    pen.scale(ratio, ratio);
    pen.font = `12px ${style.fontFamily}`;
    const left = 12, right = width - 12, top = 22, bottom = height - 34;
    const most = Math.log10(1 + counts.reduce((a, b) => Math.max(a, b), 1));
    const high = weights.reduce((a, b) => Math.max(a, b), 0), low = weights.reduce((a, b) => Math.min(a, b), 0);
    const span = Math.max(high - low, 1e-12);
    const x = (k) => left + ((right - left) * Math.log10(1 + counts[k])) / most;
    const y = (weight) => top + ((bottom - top) * (high - weight)) / span;
    drawAxes(pen, colour, { left, right, top, bottom, zero: y(0), most });
    points = names.map((_, k) => ({ k, x: x(k), y: y(weights[k]) }));
    const large = names.length > 30000 ? 1.8 : names.length > 3000 ? 2.6 : 4;
    for (const { k, x, y } of points) {
      pen.fillStyle = colour(weights[k] > 0 ? "--dot-a" : "--dot-b");
      if (weights[k] > 0) pen.fillRect(x - large / 2, y - large / 2, large, large);
      else {
        pen.beginPath();
        pen.arc(x, y, large / 2, 0, 7);
        pen.fill();
      }
    }
    drawLabels(pen, colour, { left, right, top, bottom });
  }

  function drawAxes(pen, colour, { left, right, top, bottom, zero, most }) {
    pen.strokeStyle = colour("--rule");
    pen.beginPath();
    pen.moveTo(left, zero);
    pen.lineTo(right, zero);
    pen.stroke();
    pen.fillStyle = colour("--muted");
    pen.textAlign = "center";
    for (let power = 0; power <= most; power++) {
      const count = 10 ** power, at = left + ((right - left) * Math.log10(1 + count)) / most;
      if (at < right - 60) pen.fillText(grouped(count), at, bottom + 14);
    }
    pen.textAlign = "right";
    pen.fillText("texts with the term →", right, bottom + 29);
    pen.textAlign = "left";
    pen.fillText(`↑ for ${labelShown()}`, left, top - 8);
    pen.fillText(`↓ for ${otherSide()}`, left, bottom + 29);
  }

  // Labels of the found terms, or of those with the largest weights, where there is room.
  function drawLabels(pen, colour, { left, right, top, bottom }) {
    const taken = [], wanted = marked.size ? [...marked] : byWeight.slice(0, 250);
    pen.font = `13px ${getComputedStyle(canvas).fontFamily}`;
    for (const k of current >= 0 ? [current, ...wanted] : wanted) {
      const point = points[k], width = pen.measureText(names[k]).width;
      const leftwards = point.x + 6 + width > right;
      const box = { x: leftwards ? point.x - 6 - width : point.x + 6, y: point.y - 8, width, height: 16 };
      const hidden = box.x < left || box.y < top - 8 || box.y + 16 > bottom + 8 || taken.some((other) => box.x < other.x + other.width + 4 &&
        other.x < box.x + box.width + 4 && box.y < other.y + other.height && other.y < box.y + box.height);
      if (marked.has(k) || k === current) {
        pen.strokeStyle = colour("--ink");
        pen.beginPath();
        pen.arc(point.x, point.y, k === current ? 6 : 4, 0, 7);
        pen.stroke();
      }
      if (hidden) continue;
      taken.push(box);
      pen.fillStyle = colour(weights[k] > 0 ? "--ink-a" : "--ink-b");
      pen.textAlign = "left";
      pen.fillText(names[k], box.x, point.y + 4);
      if (taken.length >= 60) break;
    }
  }

  // ---- Search and choice ------------------------------------------------------------------------------------------------

  function list() {
    const wanted = search.value.trim().toLowerCase();
    const found = wanted ? byWeight.filter((k) => lower[k].includes(wanted)) : [];
    marked = new Set(found.slice(0, 200));
    const positive = (k) => weights[k] > 0;
    const shown = wanted ? found.slice(0, 24)
      : [...byWeight.filter(positive).slice(0, 10), ...byWeight.filter((k) => !positive(k)).slice(0, 10)];
    replaceContent(byId("term-list"), ...shown.map(termButton));
    replaceContent(byId("term-found"), !wanted ? "The terms with the largest weights; choose one for its sentences."
      : found.length ? `${grouped(found.length)} of ${grouped(names.length)} terms contain “${search.value.trim()}”.`
        : `No term of this page contains “${search.value.trim()}”.`);
    draw();
  }

  function termButton(k) {
    const made = element("button", { type: "button", class: `term ${weights[k] > 0 ? "a" : "b"}`, "aria-pressed": String(k === current) },
      nameOf(names[k]), element("span", { class: "muted" }, ` ${signed(weights[k])}`));
    made.addEventListener("click", () => choose(k));
    return made;
  }

  function choose(k) {
    current = k;
    draw();
    for (const button of byId("term-list").children) {
      button.setAttribute("aria-pressed", String(button.querySelector("bdi").textContent === String(names[k])));
    }
    const sentences = sentencesWith(names[k]);
    replaceContent(byId("term-chosen"), element("strong", null, nameOf(names[k])), ": weight ", signed(weights[k]), " for ",
      nameOf(labelShown()), `, in ${grouped(counts[k])} of ${data.counted_in}. `,
      sentences.length ? "Sentences with it:" : "No sentence of this page has it.");
    replaceContent(byId("term-sentences"), ...sentences.slice(0, 8).map(({ text, label, spans }) => element("li", null,
      label === null ? "" : labelMark(label, sideOf(label)), " ",
      element("span", { dir: "auto" }, ...withMarks(text, spans)))));
  }

  const sideOf = (label) => (classes.length === 2 ? (label === String(classes[1]) ? "a" : "b") : "");

  // Sentences with a term, and where it is in them.
  function sentencesWith(name) {
    if (sentencesOf === null) {
      sentencesOf = new Map();
      data.sentences.forEach(([text, label]) => {
        for (const term of classifier.terms(text)) {
          if (!sentencesOf.has(term.name)) sentencesOf.set(term.name, []);
          const known = sentencesOf.get(term.name), last = known[known.length - 1];
          if (last && last.text === text) last.spans.push(term);
          else known.push({ text, label, spans: [term] });
        }
      });
    }
    return sentencesOf.get(name) || [];
  }

  function withMarks(text, spans) {
    const nodes = [];
    let at = 0;
    for (const { start, end } of [...spans].sort((x, y) => x.start - y.start)) {
      if (start < at) continue;
      nodes.push(text.slice(at, start), element("mark", null, text.slice(start, end)));
      at = end;
    }
    return [...nodes, text.slice(at)];
  }

  function nearest(event) {
    const area = canvas.getBoundingClientRect(), x = event.clientX - area.left, y = event.clientY - area.top;
    let best = -1, least = 14 * 14;
    for (const point of points) {
      const distance = (point.x - x) ** 2 + (point.y - y) ** 2;
      if (distance < least) [best, least] = [point.k, distance];
    }
    return best;
  }

  canvas.addEventListener("mousemove", (event) => {
    const k = nearest(event);
    canvas.title = k < 0 ? "" : `${names[k]}: ${signed(weights[k])}, ${grouped(counts[k])} texts`;
    canvas.classList.toggle("pointing", k >= 0);
  });
  canvas.addEventListener("click", (event) => {
    const k = nearest(event);
    if (k >= 0) choose(k);
  });
  search.addEventListener("input", list);
  if (chosenClass) chosenClass.addEventListener("change", readWeights);
  for (const button of document.querySelectorAll("button.top-term")) {
    button.addEventListener("click", () => {
      if (chosenClass) {
        chosenClass.selectedIndex = Number(button.dataset.class);
        readWeights();
      }
      search.value = button.textContent;
      list();
      const k = names.indexOf(button.textContent);
      if (k >= 0) choose(k);
      search.scrollIntoView({ block: "nearest" });
    });
  }
  new ResizeObserver(draw).observe(canvas);
  for (const query of ["(prefers-color-scheme: dark)", "print"]) matchMedia(query).addEventListener("change", draw);
  readWeights();
}

// Numbers of `varints` in embedded.py.
function varints(base64, n) {
  const bytes = atob(base64), found = new Float64Array(n);
  for (let k = 0, at = 0; k < n; k++) {
    for (let power = 1, more = true; more; power *= 128) {
      const byte = bytes.charCodeAt(at++);
      found[k] += (byte & 127) * power;
      more = byte > 127;
    }
  }
  return found;
}
