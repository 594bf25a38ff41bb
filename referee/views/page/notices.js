// Notices of the round, and the reason for every change of garnets and every row.

views.push((() => {
  let shown = null;

  function remark(notice) {
    return make("li", { class: `remark ${notice.severity}` },
      make("span", { class: "severity" }, notice.severity), notice.text, clause(notice),
      make("span", { class: "where" }, notice.where));
  }

  function row(entry) {
    return make("li", { class: entry.effect.replace(" ", "-") },
      make("span", { class: "effect" }, entry.effect), make("span", { class: "where" }, entry.where), " ",
      make("b", {}, make("bdi", {}, entry.said)),
      make("ul", {}, ...reasonList(entry.lines)));
  }

  function change(part) {
    const notices = part.notices.map(remark);
    const rows = part.rows.map(row);
    byId("notices").replaceChildren(...[
      notices.length ? make("ul", { class: "remarks" }, ...notices) : make("p", { class: "quiet" }, "No notices."),
      part.garnets.length ? make("h3", {}, "Garnets") : null,
      part.garnets.length ? make("ul", { class: "reasons" }, ...reasonList(part.garnets)) : null,
      rows.length ? folded(`Every row of the sheet and what became of it (${rows.length})`, make("ul", { class: "rows" }, ...rows)) : null,
    ].filter(Boolean));
  }

  return (step) => {
    const part = (match.rounds || [])[step.round - 1] || (step.round === 0 ? { notices: [], garnets: [], rows: [] } : match.rest);
    if (part === shown) return;
    shown = part;
    const title = step.round === 0 ? "Notices and reasons" : part === match.rest ? "Notices and reasons before and after the rounds" : `Notices and reasons of round ${step.round}`;
    byId("notices-title").textContent = title;
    change(part);
  };
})());
