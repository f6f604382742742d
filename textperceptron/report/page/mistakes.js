// The list of mistakes: filters by class pair and by words, and words tinted when a text is opened.

function startMistakes(classifier) {
  const list = byId("mistake-list");
  if (!list) return;
  const items = [...list.children], search = byId("mistake-search"), doubtful = byId("mistake-doubtful");
  const chosen = { true: byId("mistake-true"), predicted: byId("mistake-predicted") };
  const haystack = items.map((item) => item.querySelector(".text").textContent.toLowerCase());

  function filter() {
    const words = search.value.trim().toLowerCase();
    let n = 0;
    items.forEach((item, k) => {
      const fits = (!words || haystack[k].includes(words)) && (!doubtful || !doubtful.checked || item.dataset.doubtful) &&
        ["true", "predicted"].every((side) => chosen[side].value === "" || item.dataset[side] === chosen[side].value);
      item.hidden = !fits;
      n += fits;
    });
    const total = Number(list.dataset.total);
    replaceContent(byId("mistake-count"), `${grouped(n)} of ${grouped(items.length)} mistakes shown` +
      (total > items.length ? `; the page has the worst of ${grouped(total)}.` : "."));
    for (const cell of document.querySelectorAll("#matrix button, #confusions button")) {
      cell.setAttribute("aria-pressed", String(cell.dataset.true === chosen.true.value && cell.dataset.predicted === chosen.predicted.value));
    }
  }

  for (const each of [search, doubtful, chosen.true, chosen.predicted]) if (each) each.addEventListener("input", filter);
  byId("mistake-reset").addEventListener("click", () => {
    search.value = chosen.true.value = chosen.predicted.value = "";
    if (doubtful) doubtful.checked = false;
    filter();
  });
  for (const cell of document.querySelectorAll("#matrix button, #confusions button")) {
    cell.addEventListener("click", () => {
      const same = cell.getAttribute("aria-pressed") === "true";
      chosen.true.value = same ? "" : cell.dataset.true;
      chosen.predicted.value = same ? "" : cell.dataset.predicted;
      filter();
    });
  }
  if (byId("matrix")) arrowKeys(byId("matrix"));
  if (classifier) tintOnSight(classifier, items);
  filter();
}

// One cell of the matrix is in the tab order; arrow keys move between the cells.
function arrowKeys(matrix) {
  const rows = [...matrix.tBodies[0].rows].map((row) => [...row.cells].slice(1).map((cell) => cell.querySelector("button")));
  const cells = rows.flat().filter((cell) => cell !== null);
  cells.forEach((cell, k) => { cell.tabIndex = k ? -1 : 0; });
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  matrix.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    let row = rows.findIndex((each) => each.includes(event.target));
    if (!step || row < 0) return;
    event.preventDefault();
    let column = rows[row].indexOf(event.target);
    do {
      row += step[0];
      column += step[1];
    } while (rows[row] && rows[row][column] === null);
    if (!rows[row] || !rows[row][column]) return;
    event.target.tabIndex = -1;
    rows[row][column].tabIndex = 0;
    rows[row][column].focus();
  });
}

function tintOnSight(classifier, items) {
  const byName = new Map(classifier.classes.map((label) => [String(label), label]));
  function tint(item) {
    const box = item.querySelector(".text"), text = box.textContent;
    const [predicted, known] = [byName.get(item.dataset.predictedName), byName.get(item.dataset.trueName)];
    if (box.dataset.tinted || predicted === undefined) return;
    box.dataset.tinted = "yes";
    const other = known === undefined ? classifier.classes.find((label) => label !== predicted) : known;
    const found = comparison(classifier, text, predicted, other);
    replaceContent(box, ...tintedNodes(text, wordWeights(classifier, text, found.terms)));
  }
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      seen.unobserve(entry.target);
      tint(entry.target);
    }
  });
  for (const item of items) {
    const details = item.querySelector("details");
    if (details) details.addEventListener("toggle", () => tint(item));
    else seen.observe(item);
  }
}
