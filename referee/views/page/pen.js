// The pen: seven hexagons, and one drawing a token that slides to wherever its step puts it.

const HALF = 60;
const SIDE = HALF * 2 / Math.sqrt(3);
const PITCH = SIDE * 1.5;
const NAME_ROOM = 104;

const centres = new Map(Object.entries(match.cells).map(([cell, [across, row]]) =>
  [cell, [(across - 3) * HALF, (row - 1) * PITCH]]));

views.push((() => {
  const svg = byId("pen");
  const cells = new Map();
  const tokens = new Map();
  for (const [cell, [x, y]] of centres) {
    const corners = [0, 60, 120, 180, 240, 300].map((turn) => {
      const angle = turn * Math.PI / 180;
      return `${(x + (SIDE - 3) * Math.sin(angle)).toFixed(1)},${(y - (SIDE - 3) * Math.cos(angle)).toFixed(1)}`;
    });
    const shape = draw("polygon", { points: corners.join(" "), class: cell === "D" ? "cell centre" : "cell" });
    svg.append(shape, draw("text", { x, y: y - SIDE + 22, class: "letter" }, cell));
    cells.set(cell, shape);
  }
  for (const name of ["food", ...players.keys()]) {
    const drawn = name === "food" ? food() : pig(name);
    svg.append(drawn.group);
    tokens.set(name, drawn);
  }
  return (step) => {
    for (const [cell, shape] of cells) shape.classList.toggle("swapped", (step.cells || "").includes(cell));
    for (const [cell, name] of Object.entries(step.pen)) {
      if (name === null) continue;
      const [x, y] = centres.get(cell);
      tokens.get(name).group.style.transform = `translate(${x}px, ${y}px)`;
      if (step.hunger && name !== "food") tokens.get(name).tell(step.hunger[name]);
    }
    const standing = Object.entries(step.pen).map(([cell, name]) => `${cell} ${token(name)}`);
    svg.setAttribute("aria-label", `The pen: ${standing.join(", ")}`);
  };
})());

function food() {
  return { group: draw("g", { class: "token" },
    draw("use", { href: "#food", x: -29, y: -29, width: 58, height: 58 }),
    draw("text", { y: 39, class: "name" }, "food")) };
}

function pig(name) {
  const player = players.get(name);
  const points = draw("text", { class: "points" });
  const pill = draw("g", { class: "pill", transform: "translate(34 -17)" }, draw("circle", { r: 13 }), points);
  const group = draw("g", { class: `token ${look(name)}` }, draw("title", {}, name),
    draw("use", { href: "#pig", x: -28, y: -34, width: 56, height: 56 }), label(name), badge(player.token || ""));
  return {
    group,
    tell(hunger) {
      if (!pill.isConnected) group.append(pill);
      points.textContent = hunger;
      group.classList.toggle("starved", hunger === 0);
    },
  };
}

function badge(text) {
  const short = text !== "" && clusters(text).length <= 2;
  return short ? draw("text", { x: -36, y: -12, class: "badge" }, text) : null;
}

function label(name) {
  const text = draw("text", { y: 38, class: "name", direction: "auto" });
  const svg = byId("pen");
  text.textContent = name;
  svg.append(text); // it can only be measured in place
  if (text.getComputedTextLength() > NAME_ROOM) text.classList.add("small");
  let shown = clusters(name).slice(0, 40);
  while (text.getComputedTextLength() > NAME_ROOM && shown.length > 1) {
    shown = shown.slice(0, -1);
    text.textContent = `${shown.join("")}…`;
  }
  return text;
}

function clusters(text) {
  if (!Intl.Segmenter) return [...text];
  return [...new Intl.Segmenter("en").segment(text)].map((part) => part.segment);
}
