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
  const title = box.querySelector("h3");
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
  const text = new Map(rows.map((r) => [r, r.textContent.toLowerCase()]));
  input.addEventListener("input", () => {
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

// Pictures of single matrices and what marks say are compressed until they are needed.
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}
async function show(picture) {
  const text = picture.dataset.svg;
  if (!text) return;
  delete picture.dataset.svg;
  picture.insertAdjacentHTML("beforeend", await unpack(text));
}
for (const fold of document.querySelectorAll("details:has([data-svg])")) {
  fold.addEventListener("toggle", () => {
    if (fold.open) fold.querySelectorAll("[data-svg]").forEach(show);
  });
}

// The mark that is pointed at says what it is, and the arrow keys go from mark to mark.
// What they come to is also said to screen readers, by an element that is always there:
// they don't hear of one that was hidden.
const box = document.getElementById("tip");
const said = document.getElementById("said");
const known = new WeakMap();
async function tipsOf(picture) {
  if (!known.has(picture)) {
    const text = picture.dataset.tips ? await unpack(picture.dataset.tips) : "";
    const tips = text.split("\n").filter(Boolean).map((line) => {
      const [, x, y, words] = line.match(/^(-?\d+) (-?\d+) (.*)$/);
      return { x: Number(x), y: Number(y), words };
    });
    known.set(picture, tips);
  }
  return known.get(picture);
}
function clear() {
  box.hidden = true;
  for (const ring of document.querySelectorAll(".ring")) ring.remove();
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
  box.textContent = tip.words;
  box.hidden = false;
  const at = ring.getBoundingClientRect();
  const left = Math.min(Math.max(4, at.left + at.width / 2 - box.offsetWidth / 2), innerWidth - box.offsetWidth - 4);
  const above = at.top - box.offsetHeight - 6;
  box.style.left = Math.max(4, left) + "px";
  box.style.top = (above < 4 ? at.bottom + 6 : above) + "px";
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

// What is folded away and unpacked only then is not printed; all else is.
addEventListener("beforeprint", () => {
  for (const d of document.querySelectorAll("details:not(:has([data-svg]))")) d.open = true;
});
