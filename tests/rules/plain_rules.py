"""The rules once more, straight from the clauses, slow and plain: what the engine is held against.

Only the reading of a single message (R5.3), which has tests of its own, is taken from the engine.
Matches are sound ones as JSON objects; what comes out are visits, queues, hunger and balances.
"""

from datetime import datetime
from typing import Any

from referee.rules.messages import read_message

Row = dict[str, Any]
NEAR = {"A": "BCD", "B": "ADE", "C": "ADF", "D": "ABCEFG", "E": "BDG", "F": "CDG", "G": "DEF"}
DEFAULTS = {
    "starting_hunger": 10,
    "pre_game_minutes": 10,
    "round_minutes": 10,
    "room_seconds": 60,
    "break_seconds": 0,
    "extra_visit_garnets": 2,
    "missed_meal_loss": 2,
    "centre_loss": 1,
    "last_swap_loss": 1,
    "room_clock": "simulated",
    "visit_ends": "limit",
    "pings_outside_rounds": "ignore",
    "unpaid_visits": "refuse",
}


def at(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


class Plain:
    """One match, played by the clauses."""

    def __init__(self, match: Row) -> None:
        self.match = match
        self.set: Row = DEFAULTS | match["settings"]
        self.names = [player["name"] for player in match["players"]]
        self.garnets = {p["name"]: p.get("garnets", 0) for p in match["players"]}
        self.given = sorted(match["adjustments"], key=lambda row: at(row["time"]))
        self.queue = sorted(
            (row for row in match["queue"] if row.get("ruling", "").strip().lower() != "void"),
            key=lambda row: at(row["time"]),
        )
        self.said = [self._message(n, row) for n, row in enumerate(match["submissions"])]
        self.said = [m for m in self.said if m]
        self.waiting: list[str] = []
        self.visits: list[Row] = []
        self.starts: list[int] = []
        self.cut: int | None = None
        self.now = 0

    @staticmethod
    def _message(place: int, row: Row) -> Row:
        ruling = " ".join(row.get("ruling", "").lower().split())
        if ruling == "void":
            return {}
        edited = at(row["edited"]) if "edited" in row else None
        said = row["message"]
        for verb in ("read as ", "allow "):
            if ruling.startswith(verb):
                said, edited = ruling.removeprefix(verb), None
        reading = read_message(said)
        return {
            "place": place,
            "player": row["player"],
            "sent": at(row["time"]),
            "edited": edited,
            "kind": reading.kind,
            "swap": reading.swap,
            "allowed": ruling.startswith("allow"),
        }

    def home(self, message: Row) -> tuple[Row, int, bool] | None:
        """The visit a message belongs to, when it counts there, and if by grace (R5, R9.1)."""
        mine = [v for v in self.visits if v["player"] == message["player"]]
        sent, edited = message["sent"], message["edited"]
        for visit in mine:
            if visit["entered"] <= sent <= visit["left"]:
                counts = sent if edited is None else edited
                if counts <= visit["left"]:
                    return visit, counts, False
                return (visit, visit["left"], True) if message["allowed"] else None
        if message["allowed"]:
            round_ = sum(start <= sent for start in self.starts)
            then = [v for v in mine if v["round"] == round_ and v["entered"] <= sent]
            return (then[-1], then[-1]["left"], True) if then else None
        if edited is not None:
            for visit in mine:
                if visit["entered"] <= edited <= visit["left"]:
                    return visit, edited, False
        return None

    def _within(self, message: Row) -> bool:
        return any(
            v["player"] == message["player"] and v["entered"] <= message["sent"] <= v["left"]
            for v in self.visits
        )

    def swap_of(self, visit: Row, before: float = float("inf")) -> str:
        """The swap of a visit, as far as it has a say in the price of an entry (R5.2, R9.1)."""
        found = []
        for message in self.said:
            home = self.home(message) if message["player"] == visit["player"] else None
            if home and home[0] is visit and (not home[2] or message["sent"] < before):
                found.append((home[1], message["sent"], message["place"], message))
        swap = ""
        for *_, message in sorted(found, key=lambda one: one[:3]):
            if message["kind"] in ("swap", "pass"):
                swap = message["swap"]
        return swap

    def adjust(self, until: float) -> None:
        while self.given and at(self.given[0]["time"]) <= until:
            row = self.given.pop(0)
            self.garnets[row["player"]] += row["garnets"]

    def enter(self, name: str, time: int) -> None:
        """Let a player in, or turn them away (R4.3-R4.6)."""
        self.waiting.remove(name)
        here = [v for v in self.visits if v["round"] == len(self.starts)]
        mine = [v for v in here if v["player"] == name]
        price, paid = self.set["extra_visit_garnets"], 0
        if price and any(self.swap_of(v, time) for v in mine):
            self.adjust(time)
            if self.set["unpaid_visits"] == "refuse" and self.garnets[name] < price:
                return
            self.garnets[name] -= price
            paid = price
        limit = time + self.set["room_seconds"] * 1000
        ends = [(limit, 3, "limit")]
        if self.cut is not None and self.cut <= limit:
            ends.append((self.cut, 2, "next round"))
        for row in self.queue:
            due = at(row["time"])
            leaves = row["player"] == name and row.get("action") in ("exit", "leave")
            if leaves and time < due <= limit:
                ends.append((due, 1, "exit"))
        visit = {"player": name, "round": len(self.starts), "entered": time, "paid": paid}
        visit["told"] = here[-1]["player"] if here else None
        visit["left"] = min(ends)[0] if self.cut is None else min(limit, self.cut)
        self.visits.append(visit)
        if self.set["visit_ends"] == "swap":
            for message in self.said:
                home = self.home(message) if message["player"] == name else None
                if home and home[0] is visit and not home[2] and message["kind"] == "swap":
                    ends.append((home[1], 0, "swap"))
        visit["left"], _, visit["because"] = min(ends)

    def room(self) -> Row | None:
        last = self.visits[-1] if self.visits else None
        return last if last and last["left"] > self.now else None

    def take(self, row: Row) -> None:
        """Take one row of the queue (R3, R4.8)."""
        name, action = row["player"], row.get("action", "join")
        if action == "join":
            self.waiting += [name] if name not in self.waiting else []
            return
        over = any(
            v["player"] == name and v["entered"] < self.now == v["left"] for v in self.visits
        )
        leaves = action == "withdraw" or (action == "leave" and not over)
        if leaves and name in self.waiting:
            self.waiting.remove(name)

    def log_in(self, rows: list[Row], timer_end: int) -> list[Row]:
        """Take the entries the host logged at this instant; return those of the next (R4.7)."""
        kept = []
        for row in rows:
            inside = self.room()
            if self.now >= timer_end:
                kept.append(row)
            elif row["player"] in self.waiting and not (
                inside and inside["player"] == row["player"]
            ):
                count = len(self.visits)
                self.enter(row["player"], self.now)
                if inside and len(self.visits) > count:
                    inside["left"], inside["because"] = self.now, "next entry"
        return kept

    def play_round(self, start: int, timer_end: int, rows: list[Row], kept: list[Row]) -> list[Row]:
        """Play one round instant by instant; return the entries logged at its end."""
        while rows and at(rows[0]["time"]) < start:
            row = rows.pop(0)
            self.now = at(row["time"])
            action = row.get("action", "join")
            if action != "enter" and (
                action != "join" or self.set["pings_outside_rounds"] == "queue"
            ):
                self.take(row)
        self.now = start
        while True:
            logged = kept if self.now == start else []
            kept = []
            while rows and at(rows[0]["time"]) == self.now:
                row = rows.pop(0)
                if row.get("action") == "enter":
                    logged = [*logged, row]
                else:
                    self.take(row)
            if self.set["room_clock"] == "recorded":
                kept = self.log_in(logged, timer_end)
            else:
                while self.waiting and not self.room() and self.now < timer_end:
                    self.enter(self.waiting[0], self.now)
            inside = self.room()
            if self.now >= timer_end and inside is None:
                return kept
            coming = [at(row["time"]) for row in rows[:1]]
            coming += [inside["left"]] if inside else []
            coming += [timer_end] if self.now < timer_end else []
            self.now = min(coming)

    def play(self) -> list[Row]:
        """The rounds of the match, each with its visits, queue, pen, hunger and balances."""
        rounds = sorted(self.match["rounds"], key=lambda row: row["number"])
        pen: dict[str, str | None] = dict.fromkeys("ABCDEFG")
        pen["D"] = "food"
        pen.update({player["cell"]: player["name"] for player in self.match["players"]})
        points: int = self.set["starting_hunger"]
        hunger: dict[str, int] = dict.fromkeys(self.names, points)
        rows = list(self.queue)
        kept: list[Row] = []
        found: list[Row] = []
        due = at(self.match["start"]) + self.set["pre_game_minutes"] * 60_000
        played: list[tuple[int, int, tuple[str, ...], Row]] = []
        for place, row in enumerate(rounds):
            start = at(row["start"]) if "start" in row else due
            timer_end = start + row.get("minutes", self.set["round_minutes"]) * 60_000
            after = rounds[place + 1] if place + 1 < len(rounds) else {}
            self.cut = at(after["start"]) if "start" in after else None
            self.starts.append(start)
            kept = [one for one in kept if at(one["time"]) == start]
            kept = self.play_round(start, timer_end, rows, kept)
            here = [v for v in self.visits if v["round"] == place + 1]
            end = max([timer_end, *(v["left"] for v in here)])
            self.adjust(end)
            due = end + self.set["break_seconds"] * 1000
            played.append((start, end, tuple(self.waiting), dict(self.garnets)))
            following = self.cut if self.cut is not None else due if after else float("inf")
            late = [
                m
                for m in self.said
                if m["allowed"] and m["sent"] >= following and not self._within(m)
            ]
            self.said = [m for m in self.said if m not in late]
            last = None
            for visit in here:
                visit["swap"] = self.swap_of(visit)
                if visit["swap"]:
                    one, other = visit["swap"]
                    pen[one], pen[other] = pen[other], pen[one]
                    last = visit
            self.said += late
            food = next(cell for cell, token in pen.items() if token == "food")
            for cell, token in pen.items():
                if token is not None and token in hunger:
                    loss = self.set["centre_loss"] if food == "D" else 0
                    if food != "D" and cell not in NEAR[food]:
                        loss = self.set["missed_meal_loss"]
                    if last and last["player"] == token and "D" in last["swap"]:
                        loss += self.set["last_swap_loss"]
                    hunger[token] = max(0, hunger[token] - loss)
            found.append(
                {
                    "start": start,
                    "end": end,
                    "queue": played[-1][2],
                    "garnets": played[-1][3],
                    "pen": dict(pen),
                    "hunger": dict(hunger),
                    "visits": [
                        (
                            *(v["player"], v["entered"], v["left"], v["because"]),
                            *(v["told"], v["paid"], v["swap"] or None),
                        )
                        for v in here
                    ],
                }
            )
            if 0 in hunger.values():
                break
        return found
