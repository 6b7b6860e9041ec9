"use strict";
// Tables sort by a click on a heading and filter by words. Without this script
// they are complete, only fixed.
for (const box of document.querySelectorAll(".table")) {
  const table = box.querySelector("table");
  const body = table.tBodies[0];
  const rows = [...body.rows];
  if (rows.length < 2) continue;

  const key = (row, i) => row.cells[i].dataset.key ?? row.cells[i].textContent;
  const compare = (a, b) => {
    const x = Number(a), y = Number(b);
    const xs = a === "nan", ys = b === "nan";
    if (xs || ys) return xs - ys;
    if (a !== "" && b !== "" && !Number.isNaN(x) && !Number.isNaN(y)) return x - y;
    return a.localeCompare(b, "en", { numeric: true });
  };
  [...table.tHead.rows[0].cells].forEach((th, i) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...th.childNodes);
    th.append(button);
    button.addEventListener("click", () => {
      const down = th.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      th.setAttribute("aria-sort", down ? "descending" : "ascending");
      rows.sort((a, b) => {
        const x = key(a, i), y = key(b, i);
        // What has no number stays at the end either way.
        if (x === "nan" || y === "nan") return compare(x, y);
        return down ? compare(y, x) : compare(x, y);
      });
      body.append(...rows);
    });
  });

  if (rows.length < 10) continue;
  const title = box.querySelector("h4");
  const head = document.createElement("div");
  head.className = "head";
  title.replaceWith(head);
  const label = document.createElement("label");
  label.className = "filter";
  const input = document.createElement("input");
  input.type = "search";
  input.setAttribute("aria-label", "Filter " + title.textContent);
  const count = document.createElement("span");
  count.className = "count";
  count.setAttribute("role", "status");
  label.append("Filter ", input, count);
  head.append(title, label);
  let text;
  input.addEventListener("input", () => {
    text ??= new Map(rows.map((r) => [r, r.textContent.toLowerCase()]));
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const hit = words.every((w) => text.get(row).includes(w));
      row.hidden = !hit;
      shown += hit;
    }
    count.textContent = words.length ? shown + " of " + rows.length : "";
  });
}

// Pictures that are not shown at first and what marks say are compressed until they are needed.
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}
async function show(picture) {
  const text = picture.dataset.svg;
  if (!text) return;
  delete picture.dataset.svg;
  picture.style.aspectRatio = "";
  picture.insertAdjacentHTML("beforeend", await unpack(text));
  raise(picture);
}
// Those are unpacked that nothing folds away or switches off.
function unfold() {
  const shown = (picture) => !picture.closest("details:not([open]), .when:not(.on)");
  return Promise.all([...document.querySelectorAll("[data-svg]")].filter(shown).map(show));
}
document.addEventListener("toggle", unfold, true);

// One switch for the precision and one for the caches: in each group, what fits both is shown.
// Where nothing does, one of them does not apply to the group, as gflops-vs-row-length has float32 only.
// A switch stands at each group that it switches: the headline, for one, is of all precisions.
for (const one of document.querySelectorAll(".bar .switch")) {
  const name = one.getAttribute("aria-label");
  for (const group of document.querySelectorAll(".group")) {
    const parts = [...group.querySelectorAll(".when")].filter((e) => e.closest(".group") === group && e.dataset[name]);
    if (new Set(parts.map((e) => e.dataset[name])).size < 2) continue;
    const title = group.querySelector(":scope > h3"), copy = one.cloneNode(true);
    if (title) title.after(copy);
    else group.prepend(copy);
  }
  document.querySelector("#explore .axes")?.append(one.cloneNode(true));
  one.remove();
}
const chosen = {};
for (const button of document.querySelectorAll("[data-switch][aria-pressed=true]")) {
  chosen[button.dataset.switch] = button.dataset.value;
}
function turn() {
  const fits = (e, name) => !e.dataset[name] || !chosen[name] || e.dataset[name] === chosen[name];
  for (const group of document.querySelectorAll(".group")) {
    const parts = [...group.querySelectorAll(".when")].filter((e) => e.closest(".group") === group);
    let on = [];
    for (const names of [["precision", "cache"], ["cache"], ["precision"], []]) {
      on = parts.filter((e) => names.every((name) => fits(e, name)));
      if (on.length) break;
    }
    for (const e of parts) e.classList.toggle("on", on.includes(e));
  }
  unfold();
  redraw();
}
for (const button of document.querySelectorAll("[data-switch]")) {
  button.addEventListener("click", () => {
    chosen[button.dataset.switch] = button.dataset.value;
    for (const other of document.querySelectorAll("[data-switch]")) {
      other.setAttribute("aria-pressed", String(chosen[other.dataset.switch] === other.dataset.value));
    }
    turn();
  });
}

// A link to something that is folded away or switched off opens it.
async function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let e = target; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
  const part = target.closest(".when:not(.on)");
  if (part) {
    for (const name of ["precision", "cache"]) {
      const button = document.querySelector(`[data-switch=${name}][data-value="${CSS.escape(part.dataset[name])}"]`);
      if (button && part.dataset[name]) button.click();
    }
  }
  await unfold(); // what is above it grows
  target.scrollIntoView();
}
addEventListener("hashchange", reveal);
const menu = document.querySelector(".menu");
if (menu) {
  menu.addEventListener("toggle", () => { // within the window
    const list = menu.lastElementChild;
    list.style.translate = "";
    const beyond = list.getBoundingClientRect().right - document.documentElement.clientWidth + 8;
    if (beyond > 0) list.style.translate = -beyond + "px";
  });
  menu.addEventListener("click", (e) => { if (e.target.closest("a")) menu.open = false; });
  addEventListener("click", (e) => { if (!menu.contains(e.target)) menu.open = false; });
  menu.addEventListener("keydown", (e) => { if (e.key === "Escape") { menu.open = false; menu.firstElementChild.focus(); } });
}

// A click on a kernel isolates it: the colours of all others fade, in all figures, and copies of its marks
// are drawn above those.
const tones = new Map([...document.querySelectorAll("[data-tone]")].map((b) => [b.dataset.kernel, b.dataset.tone]));
const isolated = document.getElementById("isolated");
let only = "";
function raise(picture) {
  picture.querySelector(".raised")?.remove();
  const svg = picture.querySelector("svg"), tone = `var(--${tones.get(only)})`;
  const rules = [...document.styleSheets[0].cssRules].filter((r) => r.cssText.includes(tone) && !r.cssText.includes("opacity"));
  if (!only || !svg || !rules.length) return;
  const above = document.createElementNS("http://www.w3.org/2000/svg", "g");
  above.setAttribute("class", "raised");
  above.append(...[...svg.querySelectorAll(rules.map((r) => r.selectorText).join())].map((e) => e.cloneNode(true)));
  svg.append(above);
}
function isolate(kernel) {
  only = kernel === only ? "" : kernel;
  const root = document.documentElement.style;
  for (const tone of new Set(tones.values())) {
    if (only && tone !== tones.get(only)) root.setProperty("--" + tone, "var(--grid)");
    else root.removeProperty("--" + tone);
  }
  for (const b of document.querySelectorAll("[data-kernel]")) b.setAttribute("aria-pressed", String(b.dataset.kernel === only));
  for (const picture of document.querySelectorAll(".picture")) raise(picture);
  redraw();
  isolated.hidden = !only;
  isolated.textContent = only && "only " + only + " ✕";
  isolated.setAttribute("aria-label", "Show all kernels again, not only " + only);
}
isolated.addEventListener("click", () => isolate(only));
addEventListener("click", (e) => {
  const button = e.target.closest("[data-kernel]");
  if (button) return isolate(button.dataset.kernel);
  const text = e.target.closest("svg text")?.textContent.trim();
  if (tones.has(text)) isolate(text);
});

// The mark that is pointed at says what it is, and the arrow keys go from mark to mark.
// What they come to is also said to screen readers, by an element that is always there:
// they don't hear of one that was hidden.
const box = document.getElementById("tip");
const said = document.getElementById("said");
const known = new WeakMap();
let texts; // of all marks
async function linesOf(packed) {
  texts ??= unpack(box.dataset.texts).then((all) => all.split("\n"));
  await texts;
  return packed ? (await unpack(packed)).split("\n").filter(Boolean).map((line) => line.split(" ").map(Number)) : [];
}
async function tipsOf(picture) {
  if (!known.has(picture)) {
    const lines = await linesOf(picture.dataset.tips), words = await texts;
    known.set(picture, lines.map(([x, y, n]) => ({ x, y, words: words[n] })));
  }
  return known.get(picture);
}
function clear() {
  box.hidden = true;
  for (const ring of document.querySelectorAll(".ring")) ring.remove();
  for (const cell of document.querySelectorAll("td.at")) cell.classList.remove("at");
}
function place(at, words) {
  box.textContent = words;
  box.hidden = false;
  const left = Math.min(Math.max(4, at.left + at.width / 2 - box.offsetWidth / 2), innerWidth - box.offsetWidth - 4);
  const above = at.top - box.offsetHeight - 6;
  box.style.left = Math.max(4, left) + "px";
  box.style.top = (above < 4 ? at.bottom + 6 : above) + "px";
}
function tell(picture, tip) {
  clear();
  const svg = picture.querySelector("svg");
  const ring = document.createElementNS("http://www.w3.org/2000/svg", "circle");
  ring.setAttribute("class", "ring");
  ring.setAttribute("r", 60);
  ring.setAttribute("cx", tip.x);
  ring.setAttribute("cy", tip.y);
  svg.append(ring);
  place(ring.getBoundingClientRect(), tip.words);
}
const reach = 14; // pixels around a mark that count as pointing at it
for (const picture of document.querySelectorAll(".picture")) {
  let at = -1;
  let last; // what happened here: unpacking takes a while, and the pointer may be gone
  const leave = () => { last = null; said.textContent = ""; clear(); };
  const point = async (e) => {
    const svg = picture.querySelector("svg");
    if (!svg) return;
    last = e;
    const tips = await tipsOf(picture);
    if (last !== e) return;
    const rect = svg.getBoundingClientRect();
    const unit = svg.viewBox.baseVal.width / rect.width;
    const x = (e.clientX - rect.left) * unit, y = (e.clientY - rect.top) * unit;
    let best = -1, least = (reach * unit) ** 2;
    tips.forEach((t, i) => {
      const d = (t.x - x) ** 2 + (t.y - y) ** 2;
      if (d < least) [best, least] = [i, d];
    });
    if (best < 0) clear();
    else if (best !== at || box.hidden) tell(picture, tips[best]);
    at = best;
  };
  picture.addEventListener("pointermove", point);
  picture.addEventListener("pointerdown", point);
  picture.addEventListener("pointerleave", leave);
  picture.addEventListener("blur", leave);
  picture.addEventListener("keydown", async (e) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (e.key === "Escape") leave();
    if (!step || !picture.dataset.tips || !picture.querySelector("svg") || e.altKey || e.ctrlKey || e.metaKey) return;
    e.preventDefault();
    last = e;
    const tips = await tipsOf(picture);
    if (last !== e) return;
    at = at < 0 && step < 0 ? tips.length - 1 : (at + step + tips.length) % tips.length;
    tell(picture, tips[at]);
    said.textContent = tips[at].words;
  });
}
addEventListener("scroll", clear, { passive: true });

// The cells of a winner map say what they are, too, and its classes open.
for (const map of document.querySelectorAll("[data-cells]")) {
  const rows = [...map.querySelectorAll(".matrices tr")];
  const wide = rows[0].cells.length - 2;
  let at = null;
  let numbers;
  const tellCell = async (cell, aloud) => {
    numbers ??= linesOf(map.dataset.cells);
    const [n] = (await numbers)[rows.indexOf(cell.parentElement) * wide + cell.cellIndex - 2];
    const share = Number(cell.textContent.replace("=", "")), is = cell.classList;
    const rank = is.contains("best") ? ", named the best" : is.contains("tied") ? ", tied with the best" : "";
    const words = (await texts)[n] + (Number.isNaN(share) ? "" : `; ${share}% of the best${rank}`);
    clear();
    cell.classList.add("at");
    place(cell.getBoundingClientRect(), words);
    if (aloud) said.textContent = words;
  };
  map.addEventListener("pointerover", (e) => {
    const cell = e.target.closest(".matrices td:not(.num)");
    if (cell) tellCell(cell);
    else clear();
  });
  map.addEventListener("pointerleave", clear);
  map.addEventListener("click", (e) => {
    const cell = e.target.closest(".matrices td:not(.num)");
    if (cell) choose(map, cell);
  });
  map.addEventListener("blur", () => { at = null; said.textContent = ""; clear(); });
  map.addEventListener("keydown", (e) => {
    const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[e.key];
    if (e.key === "Escape") clear();
    if (e.key === "Enter" && at) choose(map, at[0].cells[at[1] + 2]);
    if (!step || e.target !== map || e.altKey || e.ctrlKey || e.metaKey) return;
    e.preventDefault();
    const open = rows.filter((r) => r.offsetParent);
    if (!open.length) return;
    const [row, column] = at ? [Math.max(0, open.indexOf(at[0])) + step[0], at[1] + step[1]] : [0, 0];
    at = [open[(row + open.length) % open.length], (column + wide) % wide];
    const cell = at[0].cells[at[1] + 2];
    cell.scrollIntoView({ block: "nearest", inline: "nearest" });
    requestAnimationFrame(() => requestAnimationFrame(() => tellCell(cell, true)));
  });
  for (const button of map.querySelectorAll(".opens")) {
    const matrices = button.closest("tbody").nextElementSibling;
    const open = (yes) => { matrices.hidden = !yes; button.setAttribute("aria-expanded", String(yes)); };
    open(false);
    button.addEventListener("click", () => open(matrices.hidden));
  }
}

// A cell that is chosen shows the fastest configurations of its kernel, as lines to copy.
async function choose(map, cell) {
  const of = { matrix: cell.parentElement.cells[0].textContent, ...map.closest(".map").dataset, ...map.dataset,
    kernel: map.querySelectorAll("thead button")[cell.cellIndex - 2].dataset.kernel };
  const names = ["matrix", "precision", "cache", "device", "kernel"];
  const list = (await trialsOf()).filter((t) => names.every((name) => of[name] === undefined || t[name] === of[name]));
  list.sort((a, b) => a["time (ms)"] - b["time (ms)"]);
  const panel = map.closest(".maps").querySelector("#cell");
  const title = document.createElement("h4"), table = document.createElement("table");
  title.textContent = `${of.kernel} on ${of.matrix}: ` + (list.length ? `the fastest of ${list.length}` : "not measured");
  for (const t of list.slice(0, 5)) {
    const row = table.insertRow(), code = document.createElement("code"), copy = document.createElement("button");
    code.textContent = t.launch;
    copy.type = "button";
    copy.textContent = "copy";
    copy.addEventListener("click", () => {
      getSelection().selectAllChildren(code);
      navigator.clipboard?.writeText(t.launch).then(() => { copy.textContent = "copied"; }, () => {});
    });
    row.insertCell().append(code);
    row.insertCell().textContent = t.said;
    row.insertCell().append(copy);
  }
  panel.replaceChildren(title, table);
  panel.hidden = false;
}

// Explore: all trials, by any two of their numbers. They are unpacked when they are first looked at.
const explore = document.getElementById("explore");
const canvas = explore?.querySelector("canvas");
const [across, up, which] = ["across", "up", "which"].map((id) => document.getElementById(id));
let trials, seen = false, marks = [];
function trialsOf() {
  trials ??= unpack(explore.dataset.trials).then((text) => {
    const [head, ...lines] = text.trimEnd().split("\n").map((line) => line.split("\t"));
    return lines.map((line) => {
      const t = Object.fromEntries(head.map((name, i) => [name, line[i]]));
      const words = t.parameters.split(" ").filter(Boolean);
      for (const [name, value] of words.map((w) => w.split("="))) t[name] ??= value;
      const size = (name) => { if (t[name] === "0") t[name] = ""; return t[name] ? [name, t[name]] : []; }; // some kernels have none
      t.launch = [t.kernel, ...size("block"), ...size("grid"), ...words].join(" ");
      return t;
    });
  });
  return trials;
}
async function begin() {
  const all = await trialsOf(), values = new Map();
  for (const t of all) {
    for (const [name, v] of Object.entries(t)) {
      if (v !== "" && Number.isFinite(Number(v))) values.set(name, (values.get(name) ?? new Set()).add(v));
    }
  }
  const axes = [...values].filter(([, of]) => of.size > 1).map(([name]) => name);
  for (const list of [across, up]) list.append(...axes.map((name) => new Option(name)));
  across.value = axes.includes("block") ? "block" : "nonzeros a row";
  up.value = "GFLOP/s";
  which.append(...[...new Set(all.map((t) => t.matrix))].map((name) => new Option(name)));
  for (const list of [across, up]) if (list.selectedIndex < 0) list.selectedIndex = 0;
  for (const list of [across, up, which]) list.addEventListener("change", redraw);
  seen = true;
  redraw();
}
// A scale maps values to pixels: by their logarithms if they are positive and far apart.
function scaleOf(values, from, to) {
  let low = Infinity, high = -Infinity;
  for (const v of values) [low, high] = [Math.min(low, v), Math.max(high, v)];
  const log = low > 0 && high > 8 * low, f = log ? Math.log : (v) => v;
  const pad = (f(high) - f(low) || 1) * 0.04, least = f(low) - pad, most = f(high) + pad, ticks = [];
  if (log) {
    const steps = high < 100 * low ? [1, 2, 5] : [1];
    for (let p = 10 ** Math.floor(Math.log10(low)); p <= high; p *= 10) ticks.push(...steps.map((s) => s * p).filter((v) => v >= low && v <= high));
  } else {
    const step = 10 ** Math.floor(Math.log10(high - low || 1));
    for (let v = Math.ceil(low / step) * step; v <= high; v += step) ticks.push(v);
  }
  return { at: (v) => from + ((f(v) - least) / (most - least)) * (to - from), ticks };
}
async function redraw() {
  if (!seen) return;
  const fits = (t) => (!which.value || t.matrix === which.value) && Object.keys(chosen).every((name) => t[name] === chosen[name]);
  const number = (t, axis) => (t[axis] === undefined || t[axis] === "" ? NaN : Number(t[axis]));
  const all = (await trialsOf()).filter(fits).map((t) => ({ t, x: number(t, across.value), y: number(t, up.value) }));
  const points = all.filter((p) => Number.isFinite(p.x) && Number.isFinite(p.y));
  const wide = canvas.clientWidth, tall = canvas.clientHeight, ratio = devicePixelRatio || 1, left = 56, foot = 34;
  canvas.width = wide * ratio;
  canvas.height = tall * ratio;
  const c = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue("--" + name);
  c.scale(ratio, ratio);
  c.font = "12px sans-serif";
  marks = [];
  explore.querySelector(".count").textContent = [points.length + " trials", ...Object.values(chosen)].join(", ");
  if (!points.length) return;
  const x = scaleOf(points.map((p) => p.x), left, wide - 12), y = scaleOf(points.map((p) => p.y), tall - foot, 10);
  const line = (x1, y1, x2, y2) => { c.beginPath(); c.moveTo(x1, y1); c.lineTo(x2, y2); c.stroke(); };
  const text = (v) => (v >= 1e5 ? v.toExponential(0).replace("e+", "e") : String(Number(v.toPrecision(3))));
  c.strokeStyle = colour("grid");
  c.fillStyle = colour("soft");
  c.textAlign = "center";
  for (const v of x.ticks) { line(x.at(v), 10, x.at(v), tall - foot); c.fillText(text(v), x.at(v), tall - foot + 15); }
  c.fillText(across.value, (left + wide) / 2, tall - 5);
  c.textAlign = "right";
  for (const v of y.ticks) { line(left, y.at(v), wide - 12, y.at(v)); c.fillText(text(v), left - 5, y.at(v) + 4); }
  c.save();
  c.translate(12, tall / 2);
  c.rotate(-Math.PI / 2);
  c.textAlign = "center";
  c.fillText(up.value, 0, 0);
  c.restore();
  c.globalAlpha = 0.75;
  points.sort((a, b) => (a.t.kernel === only) - (b.t.kernel === only)); // the isolated one is on top
  for (const p of points) {
    const mark = { x: x.at(p.x), y: y.at(p.y), t: p.t };
    marks.push(mark);
    c.fillStyle = colour(tones.get(p.t.kernel) ?? "soft");
    c.beginPath();
    c.arc(mark.x, mark.y, 3.2, 0, 7);
    c.fill();
  }
  explore.querySelector(".legend").replaceChildren(...[...new Set(points.map((p) => p.t.kernel))].sort().map((name) => {
    const button = document.createElement("button"), dot = document.createElement("i");
    button.type = "button";
    button.dataset.kernel = name;
    button.setAttribute("aria-pressed", String(name === only));
    dot.style.background = `var(--${tones.get(name) ?? "soft"})`;
    button.append(dot, name);
    return button;
  }));
}
if (explore) {
  new IntersectionObserver((entries, watch) => {
    if (entries.some((e) => e.isIntersecting)) { watch.disconnect(); begin(); }
  }, { rootMargin: "300px" }).observe(explore);
  addEventListener("resize", redraw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  canvas.addEventListener("pointermove", (e) => {
    let best, least = reach ** 2;
    for (const m of marks) {
      const d = (m.x - e.offsetX) ** 2 + (m.y - e.offsetY) ** 2;
      if (d < least) [best, least] = [m, d];
    }
    if (!best) return clear();
    const { left, top } = canvas.getBoundingClientRect(), t = best.t;
    place({ left: left + best.x, top: top + best.y - 4, bottom: top + best.y + 4, width: 0 },
      `${t.launch}, ${t.matrix}, ${t.precision}: ${t.said}`);
  });
  canvas.addEventListener("pointerleave", clear);
}

// What is folded away and unpacked only then is not printed, nor what failed; all else is.
addEventListener("beforeprint", () => {
  for (const d of document.querySelectorAll("details:not(.menu, #failed, :has([data-svg]))")) d.open = true;
});
turn();
if (location.hash) reveal();
