// Moving through the match: keys, buttons, the address; and the tables of the whole match.

const steps = match.steps;
let current = -1;

function show(number) {
  const next = Math.max(0, Math.min(steps.length - 1, number));
  if (next === current) return;
  current = next;
  const step = steps[current];
  byId("step-title").replaceChildren(...said(step.title));
  byId("step-text").replaceChildren(...said(step.text));
  byId("step-reasons").replaceChildren(...reasonList(step.reasons || []));
  byId("step-reasons").hidden = !step.reasons;
  byId("count").textContent = `Step ${current + 1} of ${steps.length}`;
  for (const view of views) view(step, current);
  for (const button of document.querySelectorAll("#rounds button")) {
    const here = Number(button.dataset.round) === step.round;
    if (here) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  }
  for (const id of ["step-back", "round-back"]) byId(id).setAttribute("aria-disabled", current === 0);
  for (const id of ["step-on", "round-on"]) byId(id).setAttribute("aria-disabled", current === steps.length - 1);
  remember(step);
}

function remember(step) {
  try {
    history.replaceState(null, "", `#${step.id}`);
  } catch {
    // Some places that show pages let none change its address; then it only cannot be passed on.
  }
}

function fromAddress() {
  const found = steps.findIndex((step) => `#${step.id}` === location.hash);
  return found < 0 ? 0 : found;
}

function firstOf(round) {
  return steps.findIndex((step) => step.round === round);
}

function roundOn() {
  const next = steps.findIndex((step) => step.round > steps[current].round);
  show(next < 0 ? steps.length - 1 : next);
}

function roundBack() {
  const first = firstOf(steps[current].round);
  show(first < current ? first : firstOf(Math.max(0, steps[current].round - 1)));
}

const KEYS = {
  ArrowRight: () => show(current + 1),
  ArrowLeft: () => show(current - 1),
  PageDown: roundOn,
  PageUp: roundBack,
  "]": roundOn,
  "[": roundBack,
  Home: () => show(0),
  End: () => show(steps.length - 1),
};

function scrolls(event) {
  // A wide table under the focus keeps the arrow keys to itself.
  const box = event.target.closest(".scroll");
  return box !== null && event.key.startsWith("Arrow") && box.scrollWidth > box.clientWidth;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || (event.altKey && event.key.length > 1)) return;
  const move = KEYS[event.key];
  if (move === undefined || scrolls(event)) return;
  event.preventDefault();
  move();
});

byId("step-on").addEventListener("click", KEYS.ArrowRight);
byId("step-back").addEventListener("click", KEYS.ArrowLeft);
byId("round-on").addEventListener("click", roundOn);
byId("round-back").addEventListener("click", roundBack);
window.addEventListener("hashchange", () => {
  if (location.hash !== "#step") show(fromAddress());
});

for (const round of new Set(steps.map((step) => step.round))) {
  const last = steps[firstOf(round)].id;
  const words = round === 0 ? "Start" : last === "result" ? "Result" : last === "now" ? "Now" : round;
  const button = make("button", { type: "button", "data-round": round, "aria-label": typeof words === "number" ? `Round ${round}` : null }, words);
  button.addEventListener("click", () => show(firstOf(round)));
  byId("rounds").append(make("li", {}, button));
}

byId("name").append(make("bdi", {}, match.name));
byId("status").append(...said(match.status));
for (const { title, rows: [header, ...rows] } of match.tables) {
  const filled = rows.map((row) => row.map((cell) => (cell === null ? "" : cell)));
  byId("tables").append(folded(title, scrolled(table(header, filled, title), title)));
}

// On paper the whole match is there, whatever was unfolded on the screen.
const opened = [];
window.addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("#tables details:not([open])")) {
    part.open = true;
    opened.push(part);
  }
});
window.addEventListener("afterprint", () => {
  for (const part of opened.splice(0)) part.open = false;
});

show(fromAddress());
// Only from here on do tokens slide: at first they are simply there.
requestAnimationFrame(() => requestAnimationFrame(() => document.body.classList.add("moving")));
