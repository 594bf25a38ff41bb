"use strict";

// What every part of the page shares: the match, the players' looks, and making elements. Text only
// ever becomes text: the page's policy forbids every way of turning it into mark-up.

const match = JSON.parse(document.getElementById("match").textContent);
const views = []; // functions of (step, number of the step), called whenever a step is shown
const SVG = "http://www.w3.org/2000/svg";

const players = new Map(match.players.map((player, index) => [player.name, { ...player, index }]));

// Names whose direction of writing could reorder what stands around them are isolated in sentences.
const STEERS = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const isolated = [...players.keys()].filter((name) => STEERS.test(name)).sort((a, b) => b.length - a.length);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  for (const child of children) {
    if (child === null || child === undefined) continue;
    element.append(...(child instanceof Node ? [child] : said(String(child))));
  }
  return element;
}

function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children.map((child) =>
    child === null || child instanceof Node ? child : document.createTextNode(String(child))));
}

function said(text) {
  let parts = [text];
  for (const name of isolated) {
    parts = parts.flatMap((part) => {
      if (typeof part !== "string") return [part];
      return part.split(name).flatMap((piece, index) => {
        if (!index) return [piece];
        const bdi = document.createElement("bdi");
        bdi.textContent = name;
        return [bdi, piece];
      });
    });
  }
  return parts;
}

function byId(id) {
  return document.getElementById(id);
}

// A player is known by colour and by shape, so that nobody needs to tell colours apart.
const SHAPES = [
  "M8 2a6 6 0 1 0 .01 0z",
  "M2.5 2.5h11v11h-11z",
  "M8 1.5L14.5 13.5h-13z",
  "M8 1L15 8L8 15L1 8z",
  "M8 14.5L14.5 2.5h-13z",
  "M5.5 1.5h5v4h4v5h-4v4h-5v-4h-4v-5h4z",
];

function look(name) {
  const player = players.get(name);
  return player === undefined ? "" : `p${player.index}`;
}

function mark(name, size = 12) {
  const player = players.get(name);
  return draw("svg", { class: `mark ${look(name)}`, viewBox: "0 0 16 16", width: size, height: size, "aria-hidden": "true" },
    draw("path", { d: SHAPES[player.index] }));
}

function person(name) {
  if (!players.has(name)) return make("bdi", {}, name);
  return make("span", { class: "who" }, mark(name), make("bdi", {}, name));
}

function token(name) {
  if (name === null) return "empty";
  return name === "food" ? "the food" : name;
}

function reasonList(lines) {
  return lines.map((line) => make("li", {}, line.text, clause(line)));
}

function clause(line) {
  return line.rule ? make("span", { class: "clause" }, line.rule) : null;
}

function table(header, rows, caption) {
  const head = make("tr", {}, ...header.map((cell) => make("th", { scope: "col" }, cell)));
  const body = rows.map((row) => make("tr", {}, ...row.map((cell) => {
    if (cell instanceof Node) return make("td", {}, cell);
    return make("td", { class: String(cell).length > 40 ? "long" : null }, cell);
  })));
  return make("table", {}, make("caption", { class: "hidden" }, caption), make("thead", {}, head), make("tbody", {}, ...body));
}

function scrolled(content, label) {
  return make("div", { class: "scroll", role: "region", "aria-label": label, tabindex: "0" }, content);
}

function folded(title, ...content) {
  return make("details", {}, make("summary", {}, title), ...content);
}
