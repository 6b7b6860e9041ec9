"use strict";
// The page asks the server how the run goes while it is seen, and puts what has changed in place.
const every = 2000;
const at = (id) => document.getElementById(id);
const make = (name, text, className) => {
  const e = document.createElement(name);
  if (text !== undefined) e.textContent = text;
  if (className) e.className = className;
  return e;
};

// An answer that is not good says why in its text.
async function ask(path) {
  const answer = await fetch(path, { signal: AbortSignal.timeout(40000) });
  if (!answer.ok) throw new Error((await answer.text()).trim() || answer.statusText);
  return answer.json();
}
const reason = (e) => e instanceof TypeError || e.name === "TimeoutError"
  ? "The server does not answer. It may have ended, or the tunnel to it." : e.message;
function say(id, text) {
  at(id).hidden = !text;
  at(id).textContent = text;
}

function table(t, empty) {
  if (!t.rows.length) return make("p", empty, "soft");
  const e = make("table");
  const status = t.columns.indexOf("status");
  const line = (cells, kind, into) => {
    const row = make("tr");
    cells.forEach((text, i) => row.append(make(kind, text, t.right[i] ? "right" : "")));
    if (kind === "td" && status >= 0 && cells[status] !== "ok") row.className = "bad";
    into.append(row);
  };
  line(t.columns, "th", e.createTHead());
  const body = e.createTBody();
  for (const cells of t.rows) line(cells, "td", body);
  return e;
}
// What is the same stays, and with it what a reader has marked.
const shown = {};
function place(id, t, empty) {
  const text = JSON.stringify(t);
  if (shown[id] === text) return;
  shown[id] = text;
  at(id).replaceChildren(table(t, empty));
}

function span(seconds) {
  const s = Math.round(seconds);
  const two = (n) => String(n).padStart(2, "0");
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${two(s % 60)} s`;
  return `${Math.floor(s / 3600)} h ${two(Math.floor(s % 3600 / 60))} min`;
}
function doing(s) {
  const p = s.progress;
  if (!p || !s.running) {
    const how = { measured: "All that was asked for is measured.", interrupted: "Interrupted: run it again to continue.",
      failed: "The run has ended with an error." };
    if (!p) return "No run is measuring.";
    return how[p.ended] ?? "The run does not say anything any more. It may have been killed: run it again to continue.";
  }
  const of = p.at_most ? "of at most" : "of";
  let text = `Measuring on ${p.device}: ${p.done} ${of} ${p.total} trials`;
  if (p.matrix) text += `, matrix ${p.index} of ${p.matrices} (${p.matrix})`;
  if (p.left > 0) text += `, ${span(p.left)} left${p.at_most ? " at most" : ""}`;
  return text + ".";
}
function show(s) {
  document.title = (s.running && s.progress.total ? Math.floor(100 * s.progress.done / s.progress.total) + "% " : "") + s.name;
  at("name").textContent = s.name;
  at("titles").textContent = s.titles.join("; ");
  const text = doing(s);
  if (at("doing").textContent !== text) at("doing").textContent = text;
  at("bar").hidden = !s.running || !s.progress.total;
  if (s.running) at("bar").value = s.progress.total ? s.progress.done / s.progress.total : 0;
  const counts = Object.entries(s.trials).sort((a, b) => b[1] - a[1]).map(([status, n]) => `${n} ${status}`);
  at("counts").textContent = s.all ? `${s.all} trials in the database: ${counts.join(", ")}` : "No trials in the database yet.";
  place("best-table", s.best, "No verified trial yet.");
  place("last-table", s.last, "No trial yet.");
  say("drawing", s.drawing === "drawing" ? "" : s.drawing);
}

// The way to the best of each matrix: a line of the best speed so far, asked for while it is unfolded.
const way = at("way");
const wayQuery = `select matrix, device, precision, cache, n, "of", time_ms from (select *, min(time_ms) over upto as least,
  row_number() over upto as n, count(*) over (partition by matrix, device, precision, cache) as "of" from results
  where status = 'ok' window upto as (partition by matrix, device, precision, cache order by measured_at, time_ms
  rows unbounded preceding)) where time_ms = least order by device, cache, matrix, precision, n`;
let wayOf = -1;
async function find(all) {
  if (!way.open || all === wayOf || document.hidden) return;
  wayOf = all;
  let t;
  try {
    t = await ask("api/query?sql=" + encodeURIComponent(wayQuery));
  } catch (e) {
    wayOf = -1; // the next look asks again
    return at("way-table").replaceChildren(make("p", reason(e), "soft"));
  }
  const cases = new Map();
  for (const [matrix, device, precision, cache, n, of, time] of t.rows) {
    const key = [matrix, device, precision, cache].join("\n");
    cases.set(key, [...(cases.get(key) ?? []), { matrix, precision, cache, n: Number(n), of: Number(of), time: Number(time) }]);
  }
  const e = make("table"), body = e.createTBody(), head = e.createTHead().insertRow();
  for (const name of ["matrix", "precision", "cache", "the best so far", "found at"]) head.append(make("th", name));
  for (const steps of cases.values()) {
    const last = steps.at(-1), row = body.insertRow(), wide = 240, tall = 30;
    for (const text of [last.matrix, last.precision, last.cache]) row.insertCell().textContent = text;
    const x = (n) => last.of > 1 ? (wide - 4) * (n - 1) / (last.of - 1) + 2 : 2, y = (time) => tall - 2 - (tall - 4) * last.time / time;
    const line = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    line.setAttribute("viewBox", `0 0 ${wide} ${tall}`);
    const d = steps.map((s, i) => (i ? "H" + x(s.n) + "V" : "M" + x(s.n) + " ") + y(s.time)).join("") + "H" + x(last.of);
    line.append(document.createElementNS("http://www.w3.org/2000/svg", "path"));
    line.firstChild.setAttribute("d", d);
    row.insertCell().append(line);
    row.insertCell().textContent = `trial ${last.n} of ${last.of}`;
  }
  at("way-table").replaceChildren(cases.size ? e : make("p", "No verified trial yet.", "soft"),
    ...(t.note ? [make("p", t.note, "soft")] : []));
}
way.addEventListener("toggle", look);

// Each picture of the winner map has a style sheet of its own, in a tree of its own.
async function drawMap() {
  const all = await ask("api/map"), boxes = [...at("map").children];
  at("map").replaceChildren(...all.map((p, i) => {
    const box = boxes[i] ?? make("div", undefined, "picture");
    box.setAttribute("role", "img");
    box.setAttribute("aria-label", p.alt);
    const root = box.shadowRoot ?? box.attachShadow({ mode: "open" }), sheet = new CSSStyleSheet();
    sheet.replaceSync(p.css);
    root.adoptedStyleSheets = [sheet];
    root.replaceChildren(document.importNode(new DOMParser().parseFromString(p.svg, "image/svg+xml").documentElement, true));
    return box;
  }));
}

// At the end of a run that was seen, the report takes the place of this page, unless a query is being written.
let report;
function finish(now) {
  at("ended").hidden = !now;
  if (report === undefined) report = now;
  if (now && now !== report && at("sql").value === at("sql").defaultValue) location.assign("report/");
  if (now) report = now;
}

let listed = "0", timer;
async function look() {
  clearTimeout(timer);
  if (document.hidden) return;
  try {
    const s = await ask("api/state");
    show(s);
    find(s.all);
    finish(s.report);
    if (s.figures !== listed) {
      await drawMap();
      listed = s.figures;
    }
    say("problem", "");
  } catch (e) {
    say("problem", reason(e));
  }
  clearTimeout(timer);
  timer = setTimeout(look, every);
}
document.addEventListener("visibilitychange", look);
look();

const queryText = 16384; // bytes; the server refuses an address that is much longer without saying why
at("ask").addEventListener("submit", async (e) => {
  e.preventDefault();
  const button = e.target.querySelector("button");
  button.disabled = true;
  say("refused", "");
  at("took").textContent = "running …";
  try {
    if (new TextEncoder().encode(at("sql").value).length > queryText) {
      throw new Error(`the query has more than ${queryText / 1024} KB: spmvtune query takes a longer one`);
    }
    const t = await ask("api/query?sql=" + encodeURIComponent(at("sql").value));
    at("answer").replaceChildren(table(t, "No rows."));
    at("took").textContent = `${t.rows.length} rows in ${t.seconds.toFixed(3)} s` + (t.note ? "; " + t.note : "");
  } catch (err) {
    at("took").textContent = "";
    say("refused", reason(err));
  }
  button.disabled = false;
});
at("sql").addEventListener("keydown", (e) => {
  if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) at("ask").requestSubmit();
});

async function views() {
  for (const v of await ask("api/views")) {
    const e = make("details");
    const title = make("summary");
    title.append(make("code", v.Name), ": a row for " + v.Row);
    const rows = v.Columns.map((c) => [c.Name, c.Doc.replaceAll("`", "")]);
    e.append(title, table({ columns: ["column", "meaning"], right: [], rows }));
    at("views").append(e);
  }
}
views().catch((e) => at("views").append(make("p", reason(e))));
