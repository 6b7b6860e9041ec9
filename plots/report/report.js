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
addEventListener("beforeprint", () => {
  for (const d of document.querySelectorAll("details")) d.open = true;
});
