// How everybody stands after a step, and what the step changed.

views.push((() => {
  const told = match.steps[0];
  const most = Math.max(1, ...Object.values(told.hunger || {}));
  const columns = [
    ["Player", null],
    ["Cell", (step, name) => Object.keys(step.pen).find((cell) => step.pen[cell] === name)],
  ];
  if (told.hunger) columns.push(["Hunger", (step, name) => step.hunger[name]]);
  if (told.garnets) {
    columns.push(["Lost", (step, name) => (step.lost ? step.lost[name] : "")]);
    columns.push(["Garnets", (step, name) => step.garnets[name]]);
    columns.push(["Swaps", (step, name) => step.swaps[name]]);
    columns.push(["Rival", (step, name) => players.get(name).rival]);
  }
  const rows = new Map();
  for (const name of players.keys()) {
    rows.set(name, columns.map(([title]) => make("td", { class: title.toLowerCase() })));
    rows.get(name)[0] = make("th", { scope: "row" }, person(name), tokenOf(name));
  }
  const head = make("tr", {}, ...columns.map(([title]) => make("th", { scope: "col", class: title.toLowerCase() }, title)));
  byId("standings").append(make("caption", { class: "hidden" }, "How everybody stands"),
    make("thead", {}, head),
    make("tbody", {}, ...[...rows.values()].map((cells) => make("tr", {}, ...cells))));

  return (step, number) => {
    const before = match.steps[number - 1];
    for (const [name, cells] of rows) {
      columns.forEach(([title, value], index) => {
        if (value === null) return;
        const now = value(step, name);
        const changed = before !== undefined && title !== "Lost" && value(before, name) !== now;
        const cell = cells[index];
        cell.classList.toggle("changed", changed);
        cell.replaceChildren(title === "Hunger" ? gauge(now, most) : make("b", {}, make("bdi", {}, now)));
      });
    }
  };
})());

function tokenOf(name) {
  const { token: own } = players.get(name);
  return own ? make("span", { class: "own" }, ` ${own}`) : null;
}

function gauge(points, most) {
  const bar = make("i", { "aria-hidden": "true" });
  bar.style.width = `${Math.min(100, 100 * points / most)}%`;
  return make("span", { class: "gauge" }, make("b", {}, points), make("span", { class: "track", "aria-hidden": "true" }, bar));
}
