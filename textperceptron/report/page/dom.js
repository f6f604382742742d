// Small helpers: elements, numbers, and the data of the page. Text is only ever set as text.

const byId = (id) => document.getElementById(id);
const dataOf = (id) => (byId(id) ? JSON.parse(byId(id).textContent) : null);

// An element with attributes and children; a string becomes text, null is left out.
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

const replaceContent = (parent, ...children) => parent.replaceChildren(...children.filter((child) => child !== null));
const nameOf = (text) => element("bdi", null, String(text));
const signed = (x) => (x < 0 ? "−" : "+") + Math.abs(x).toPrecision(3).replace(/e.*/, (power) => "·10^" + power.slice(1));
const grouped = (n) => n.toLocaleString("en-US");

// A label with the mark of its side: a filled square for side a, a hollow one for side b.
function labelMark(label, side) {
  return element("span", { class: `label ${side || ""}` }, nameOf(label));
}
