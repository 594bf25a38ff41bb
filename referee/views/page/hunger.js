// Every pig's hunger as a curve. Pigs of equal hunger run side by side instead of on one another,
// and each curve ends at its player's name.

views.push((() => {
  const TALL = 230;
  const TOP = 12;
  const APART = 3;
  const names = [...players.keys()];
  const last = match.hunger[names[0]].length - 1;
  const most = Math.max(1, ...names.map((name) => match.hunger[name][0]));
  const box = byId("hunger");
  const svg = draw("svg", { class: "plot", height: TALL + 2 * TOP + 18, role: "img",
    "aria-label": "Hunger after every round; the table below says the same" });
  const x = (round) => (last ? 100 * round / last : 50);
  const y = (points) => TOP + TALL * (1 - points / most);
  const beside = (name, round) => {
    const equal = names.filter((other) => match.hunger[other][round] === match.hunger[name][round]);
    return y(match.hunger[name][round]) + APART * (equal.indexOf(name) - (equal.length - 1) / 2);
  };

  const every = Math.max(1, Math.ceil(most / 5));
  for (let points = 0; points <= most; points += every) {
    svg.append(draw("line", { class: "grid", x1: "0", x2: "100%", y1: y(points), y2: y(points) }),
      draw("text", { class: "axis end", x: -8, y: y(points) + 4 }, points));
  }
  const skip = Math.max(1, Math.ceil(last / 10));
  for (let round = 0; round <= last; round += skip) {
    svg.append(draw("text", { class: "axis middle", x: `${x(round)}%`, y: TALL + 2 * TOP + 16 }, round || "start"));
  }
  const now = draw("line", { class: "now", y1: 0, y2: TALL + 2 * TOP });
  svg.append(now);

  const curves = [];
  for (const name of names) {
    const curve = draw("g", { class: `curve ${look(name)}` });
    for (let round = 1; round <= last; round += 1) {
      const piece = draw("line", { x1: `${x(round - 1)}%`, y1: beside(name, round - 1), x2: `${x(round)}%`, y2: beside(name, round) });
      curve.append(piece);
      curves.push([piece, round]);
    }
    for (let round = 0; round <= last; round += 1) {
      const point = draw("svg", { class: "point", x: `${x(round)}%`, y: beside(name, round) },
        draw("path", { d: SHAPES[players.get(name).index], transform: "translate(-5.6 -5.6) scale(0.7)" }));
      curve.append(point);
      curves.push([point, round]);
    }
    svg.append(curve);
  }

  const labels = make("div", { class: "labels", "aria-hidden": "true" });
  const order = [...names].sort((a, b) => beside(a, last) - beside(b, last));
  const room = Math.min(22, (TALL + 2 * TOP) / order.length);
  let free = 0;
  const places = order.map((name, index) => {
    const lowest = TALL + 2 * TOP - room * (order.length - index);
    const top = Math.min(lowest, Math.max(free, beside(name, last) - 12));
    free = top + room;
    return top;
  });
  order.forEach((name, index) => {
    const entry = make("span", { class: "ending" }, person(name));
    entry.style.top = `${places[index]}px`;
    labels.append(entry);
  });

  const rows = Array.from({ length: last + 1 }, (_, round) => [round, ...names.map((name) => match.hunger[name][round])]);
  box.append(svg, labels);
  box.after(folded("Hunger as a table", scrolled(table(["Round", ...names], rows, "Hunger after every round"), "Hunger as a table")));

  return (step) => {
    const fed = match.kind === "public" || step.lost !== undefined || step.round > last ? step.round : step.round - 1;
    const known = Math.max(0, Math.min(last, fed));
    now.setAttribute("x1", `${x(known)}%`);
    now.setAttribute("x2", `${x(known)}%`);
    for (const [piece, round] of curves) piece.classList.toggle("ahead", round > known);
  };
})());
