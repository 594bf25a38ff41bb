// A round on its time line: one lane a player, with pings, waiting and visits.

views.push((() => {
  const LANE = 30;
  const TOP = 22;
  let shown = null;
  let visits = [];
  let playhead = null;

  function percent(round, at) {
    return `${round.length ? 100 * at / round.length : 0}%`;
  }

  function timeLine(round) {
    const names = [...players.keys()];
    const tall = TOP + LANE * names.length;
    const svg = draw("svg", { class: "plot", height: tall + 22, role: "img",
      "aria-label": `Time line of round ${round.number}; the tables below say the same` });
    names.forEach((name, index) => {
      const y = TOP + LANE * (index + 0.5);
      svg.append(draw("line", { class: "grid", x1: "0", x2: "100%", y1: y, y2: y }));
    });
    axis(svg, round, tall);
    const lane = (name) => TOP + LANE * (names.indexOf(name) + 0.5);
    for (const wait of round.waits || []) {
      svg.append(draw("line", { class: `wait ${look(wait.player)}`, x1: percent(round, wait.begin), x2: percent(round, wait.end), y1: lane(wait.player), y2: lane(wait.player) }));
    }
    visits = round.visits.map((visit) => {
      const drawn = bar(round, visit, lane(visit.player));
      svg.append(drawn);
      return drawn;
    });
    for (const ping of round.pings) {
      const x = percent(round, ping.at);
      const y = lane(ping.player);
      svg.append(draw("line", { class: `ping ${ping.effect === "no effect" ? "lost" : look(ping.player)}`, x1: x, x2: x, y1: y - 10, y2: y + 10 },
        draw("title", {}, `${ping.time}: ${ping.text}`)));
    }
    playhead = draw("line", { class: "now", y1: TOP - 6, y2: tall });
    svg.append(playhead);
    const lanes = make("div", { class: "lanes", "aria-hidden": "true" }, ...names.map((name) => make("span", {}, person(name))));
    return [lanes, svg];
  }

  function bar(round, visit, y) {
    const late = visit.begin > 0.85 * round.length;
    const swap = visit.swap ? `${visit.swap[0]}–${visit.swap[1]}` : "no swap";
    return draw("g", { class: `visit ${look(visit.player)}` },
      draw("title", {}, `Visit ${visit.number}, ${visit.player}: ${visit.entered} to ${visit.left}, ${swap}`),
      draw("rect", { x: percent(round, visit.begin), width: percent(round, visit.end - visit.begin), y: y - 7, height: 14, rx: 3 }),
      draw("svg", { class: "point", x: percent(round, late ? visit.begin : visit.end), y },
        draw("text", { x: late ? -5 : 5, y: 4, class: late ? "end" : "start" }, swap)));
  }

  function axis(svg, round, tall) {
    const minute = 60000;
    const every = [0.25, 0.5, 1, 2, 5, 10, 30, 60, 180, 720, 1440].map((minutes) => minutes * minute).find((step) => round.length / step <= 7) || round.length;
    for (let at = 0; at <= round.length; at += every) {
      const first = at === 0;
      svg.append(draw("line", { class: "grid", x1: percent(round, at), x2: percent(round, at), y1: TOP, y2: tall }),
        draw("text", { class: `axis ${first ? "start" : "middle"}`, x: percent(round, at), y: tall + 16 }, first ? "0 min" : at / minute));
    }
    end(svg, round, round.timer, tall, round.length > round.timer ? "timer" : "timer and round end");
    if (round.length > round.timer) end(svg, round, round.length, tall, "end");
  }

  function end(svg, round, at, tall, words) {
    const x = percent(round, at);
    const official = at === round.length;
    const close = official && round.length > round.timer;
    svg.append(draw("line", { class: official ? "bell official" : "bell", x1: x, x2: x, y1: TOP - 6, y2: tall }),
      draw("text", { class: `axis strong ${close ? "start" : "end"}`, x, y: 11 }, words));
  }

  function tables(round) {
    const rows = round.visits.map((visit) => [visit.number, person(visit.player), visit.entered, visit.left, visit.because,
      visit.told === null ? "nobody" : person(visit.told), visit.paid, visit.swap ? `${visit.swap[0]}–${visit.swap[1]}` : "none", visit.swap_time || ""]);
    const pings = round.pings.map((ping) => [ping.time, person(ping.player), ping.effect, ping.text]);
    const header = ["Visit", "Player", "Entered", "Left", "Because", "Told", "Paid", "Swap", "At"];
    return [
      rows.length ? scrolled(table(header, rows, `Visits of round ${round.number}`), "Visits") : make("p", {}, "No visits."),
      pings.length ? folded("Pings as a table", scrolled(table(["Time", "Player", "", "What came of it"], pings, `Pings of round ${round.number}`), "Pings")) : null,
    ].filter(Boolean);
  }

  function change(round) {
    shown = round;
    if (round === undefined) {
      byId("room-clocks").textContent = "The room opens with round 1.";
      byId("room").replaceChildren();
      byId("room-tables").replaceChildren();
      return;
    }
    byId("room-clocks").replaceChildren(`Round ${round.number}: from ${round.start}, timer until ${round.timer_end}, officially over at ${round.official_end}. `,
      "Still in the queue then: ", ...round.queue.flatMap((name, index) => [index ? ", " : "", person(name)]), round.queue.length ? "." : "nobody.");
    byId("room").replaceChildren(...timeLine(round));
    byId("room-tables").replaceChildren(...tables(round));
  }

  return (step) => {
    const number = Math.min(step.round, (match.rounds || []).length);
    const round = (match.rounds || [])[number - 1];
    if (round !== shown) change(round);
    if (round === undefined) return;
    const at = step.at === undefined ? round.length : step.at;
    playhead.setAttribute("x1", percent(round, at));
    playhead.setAttribute("x2", percent(round, at));
    visits.forEach((drawn, index) => {
      drawn.classList.toggle("current", step.visit === index + 1);
      drawn.classList.toggle("ahead", round.visits[index].end > at);
    });
  };
})());
