// SPDX-License-Identifier: Apache-2.0

package plots

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/testing/browser"
	"example.org/spmvtune/internal/testing/synthetic"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/store"
)

// TestPageInBrowser reads the report as its users do: on a phone and on a large screen,
// in the light and in the dark, with mouse and keyboard, and on paper.
func TestPageInBrowser(t *testing.T) {
	testkit.Long(t, "draws for long")
	b := browser.Start(t)
	s := synthetic.Processor()
	d := s.Report()
	for i := range 12 {
		r := &d.Rows[len(d.Rows)/12*i]
		r.Status, r.Message = "timeout", "took longer than 2s and was ended"
	}
	d = analysis.New(d.Rows, d.Best, d.Matrices, d.Devices)
	dir := t.TempDir()
	testkit.Must(Write(t.Context(), synthetic.Ruled(d), dir, Options{}))
	b.Open("file://" + filepath.Join(dir, "report.html"))

	b.Resize(1600)
	var height float64
	b.Eval(`return document.documentElement.scrollHeight`, &height)
	testkit.Check(t, height <= 9000, "the page is %v pixels high", height)
	for _, width := range []int{400, 1600} {
		b.Resize(width)
		var wide []string
		b.Eval(`return [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 &&
			!e.closest(".scroll, .skip, .unseen, .menu, #tip") && e.offsetParent).map((e) => e.outerHTML.slice(0, 80))`, &wide)
		var menu struct{ Left, Right float64 }
		b.Eval(`const menu = document.querySelector(".menu");
			menu.open = true;
			const { left, right } = menu.querySelector("ul").getBoundingClientRect();
			menu.open = false;
			return { Left: left, Right: right }`, &menu)
		testkit.Check(t, menu.Left >= 0 && menu.Right > menu.Left && menu.Right <= float64(width),
			"at %d pixels the menu of figures goes from %v to %v", width, menu.Left, menu.Right)
		var scrolls bool
		b.Eval(`return document.documentElement.scrollWidth > innerWidth`, &scrolls)
		testkit.Check(t, !scrolls && len(wide) == 0, "at %d pixels the page overflows: %q", width, wide)
		for _, scheme := range []string{"light", "dark"} {
			b.Scheme(scheme)
			b.Look(scheme + map[int]string{400: "-phone", 1600: "-screen"}[width])
		}
	}

	b.Run("colours", func(t *testing.T) {
		var light, dark string
		const ink = `return getComputedStyle(document.querySelector(".picture svg text")).fill + getComputedStyle(document.body).backgroundColor`
		b.Scheme("light")
		b.Eval(ink, &light)
		b.Scheme("dark")
		b.Eval(ink, &dark)
		testkit.Check(t, light != dark && light != "", "light %q, dark %q", light, dark)
	})
	b.Run("sort", func(t *testing.T) {
		var got struct {
			Sort   string
			Values []float64
		}
		b.Eval(`const table = document.querySelector("#best-configuration-1 table"), i = [...table.tHead.rows[0].cells].findIndex((c) => c.textContent.startsWith("time"));
			const button = table.tHead.rows[0].cells[i].querySelector("button");
			button.click(); button.click();
			return { Sort: table.tHead.rows[0].cells[i].ariaSort, Values: [...table.tBodies[0].rows].map((r) => Number(r.cells[i].dataset.key)) }`, &got)
		testkit.Check(t, got.Sort == "descending" && len(got.Values) >= 5, "sorted %+v", got)
		for i := 1; i < len(got.Values); i++ {
			testkit.Check(t, got.Values[i] <= got.Values[i-1], "not in order: %v", got.Values)
		}
	})
	b.Run("filter", func(t *testing.T) {
		var got struct {
			All, Shown int
			Status     string
		}
		b.Eval(`document.querySelector("#failed").open = true;
			const input = document.querySelector("#failures input"), matrix = document.querySelector("#failures tbody td:nth-child(2)").textContent;
			input.value = "TIMEOUT " + matrix;
			input.dispatchEvent(new Event("input"));
			const rows = [...document.querySelectorAll("#failures tbody tr")];
			const shown = rows.filter((r) => r.offsetParent);
			if (shown.some((r) => !r.textContent.includes(matrix))) return { All: 0 };
			return { All: rows.length, Shown: shown.length, Status: document.querySelector("#failures .count").textContent }`, &got)
		testkit.Check(t, got.All == 12 && got.Shown > 0 && got.Shown != 12 && strings.HasSuffix(got.Status, "of 12"),
			"filtered %+v", got)
	})
	b.Run("marks", func(t *testing.T) {
		var got struct{ Key, Heard, Pointer string }
		b.Eval(`const frame = () => new Promise(requestAnimationFrame), tip = document.getElementById("tip"); // a frame begins with the events of scrolling
			const said = async () => { for (let i = 0; i < 2000 && tip.hidden; i++) await frame(); return tip.hidden ? "" : tip.textContent };
			const picture = document.querySelector("[id^=gflops-vs-row-length] .picture");
			picture.scrollIntoView({ behavior: "instant" });
			await frame(); await frame();
			picture.focus({ preventScroll: true });
			picture.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft" }));
			const key = await said(), heard = document.querySelector("[role=status]#said").textContent;
			const ring = picture.querySelector(".ring").getBoundingClientRect();
			picture.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
			if (!tip.hidden) return {};
			picture.dispatchEvent(new PointerEvent("pointermove", { clientX: ring.x + ring.width / 2 + 2, clientY: ring.y + ring.height / 2, bubbles: true }));
			return { Key: key, Heard: heard, Pointer: await said() }`, &got)
		testkit.Says(t, "the last mark", got.Key, "block", " ms (", "GFLOP/s", "float")
		testkit.Equal(t, got.Heard, got.Key, "a screen reader hears")
		testkit.Equal(t, got.Pointer, got.Key, "pointing at the mark says what the keyboard does")
		b.Look("mark")
	})
	b.Run("long name", func(t *testing.T) {
		var high float64
		b.Eval(`const button = document.querySelector(".map [data-kernel]"), own = button.lastChild.data;
			button.lastChild.data = "k".repeat(200);
			const high = button.closest("thead").offsetHeight;
			button.lastChild.data = own;
			return high`, &high)
		testkit.Check(t, high <= 400, "a kernel with a long name makes the head of the map %v pixels high", high)
	})
	b.Run("winners", func(t *testing.T) {
		var got struct {
			Bottom          float64
			Rows, Maps      int
			First, Next     string
			Heard, Opposite string
		}
		b.Resize(1600)
		b.Eval(`scrollTo({ top: 0, behavior: "instant" });
			const frame = () => new Promise(requestAnimationFrame), tip = document.getElementById("tip");
			const maps = [...document.querySelectorAll(".map")], map = maps.find((m) => m.offsetParent), region = map.querySelector(".scroll");
			const press = async (key) => {
				tip.hidden = true;
				region.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
				for (let i = 0; i < 2000 && tip.hidden; i++) await frame();
				return document.getElementById("said").textContent;
			};
			return { Bottom: map.getBoundingClientRect().bottom, Rows: map.querySelectorAll(".matrices tr").length, Maps: maps.filter((m) => m.offsetParent).length,
				First: await press("ArrowRight"), Next: await press("ArrowDown"), Heard: tip.textContent, Opposite: await press("ArrowLeft") }`, &got)
		testkit.Check(t, got.Rows == 8 && got.Maps == 1 && got.Bottom <= 900, "of the first screen %+v", got)
		if !strings.HasPrefix(got.First, "cpu_") || !strings.Contains(got.First, " of the best") || got.First == got.Next ||
			got.Next != got.Heard || got.Opposite == got.Next {
			t.Errorf("the keyboard finds %+v", got)
		}
	})
	b.Run("switch", func(t *testing.T) {
		var got struct{ Before, After, Only []string }
		b.Eval(`const shown = (part) => [...document.querySelectorAll(part)].filter((e) => e.offsetParent).map((e) => e.dataset.precision + (e.querySelector("svg, table") ? "" : " empty"));
			const before = shown(".map, #figure-throughput-vs-block .pages > figure");
			document.querySelector("[data-value=float64]").click();
			const late = () => document.querySelector("#figure-throughput-vs-block .pages > figure.on [data-svg], #figure-throughput-vs-block .pages > figure.on .picture:empty");
			for (let i = 0; i < 200 && late(); i++) await new Promise((done) => setTimeout(done, 30));
			const after = shown(".map, #figure-throughput-vs-block .pages > figure"), only = shown("#figure-gflops-vs-row-length .pages > figure");
			document.querySelector("[data-value=float32]").click();
			return { Before: before, After: after, Only: only }`, &got)
		want := strings.Repeat("float32 ", len(got.Before))
		if strings.Join(got.Before, " ")+" " != want || len(got.Before) < 2 ||
			strings.Join(got.After, " ")+" " != strings.ReplaceAll(want, "32", "64") {
			t.Errorf("float32 shows %q, and float64 %q", got.Before, got.After)
		}
		testkit.EqualLists(t, got.Only, []string{"float32"}, "of a figure of float32 alone, float64 shows")
	})
	b.Run("isolate", func(t *testing.T) {
		var got struct {
			Colors map[string]bool // whether a kernel has its colour
			Words  string
			Left   int
			Legend bool  // whether a click on a name in a legend isolates it
			Raised []int // marks that are drawn above others: while it is isolated, and later
		}
		b.Eval(`const button = document.querySelector(".map [data-kernel=cpu_sell]"), root = getComputedStyle(document.documentElement);
			const colours = () => [...document.querySelectorAll(".map.on [data-kernel]")].map((k) => [k.dataset.kernel, root.getPropertyValue("--" + k.dataset.tone)]);
			const before = colours();
			button.click();
			const raised = () => document.querySelectorAll(".picture svg > .raised:last-child > *").length, up = raised();
			const after = colours(), words = document.getElementById("isolated").textContent;
			document.getElementById("isolated").click();
			[...document.querySelectorAll(".picture svg text")].find((e) => e.textContent.trim() === "cpu_csr").dispatchEvent(new MouseEvent("click", { bubbles: true }));
			const legend = document.querySelector(".map [data-kernel=cpu_csr]").ariaPressed === "true" && button.ariaPressed === "false";
			document.getElementById("isolated").click();
			return { Legend: legend, Raised: [up, raised()], Colors: Object.fromEntries(after.map(([k, c], i) => [k, c === before[i][1]])), Words: words,
				Left: colours().filter(([, c], i) => c !== before[i][1]).length }`, &got)
		for kernel, same := range got.Colors {
			testkit.Equal(t, same, kernel == "cpu_sell", "with cpu_sell isolated, the colour of %s is the same", kernel)
		}
		if len(got.Colors) != 6 || !strings.Contains(got.Words, "cpu_sell") || got.Left != 0 || !got.Legend ||
			got.Raised[0] == 0 || got.Raised[1] != 0 {
			t.Errorf("isolated: %+v", got)
		}
	})
	b.Run("cell", func(t *testing.T) {
		var got struct {
			Title, Shown string
			Lines        int
		}
		b.Eval(`const cell = document.querySelector(".map.on .matrices tr").cells[3], panel = document.getElementById("cell");
			cell.click();
			for (let i = 0; i < 200 && panel.hidden; i++) await new Promise((done) => setTimeout(done, 30));
			return { Title: panel.querySelector("h4").textContent, Shown: panel.querySelector("code").textContent, Lines: panel.querySelectorAll("code").length,
				}`, &got)
		name, matrix, _ := strings.Cut(strings.TrimSuffix(strings.Split(got.Title, ":")[0], " "), " on ")
		var fastest *store.Row
		for i := range d.Panels {
			if p := &d.Panels[i]; p.Matrix == matrix && p.Precision == "float32" {
				fastest = p.Best(name)
			}
		}
		testkit.Require(t, fastest != nil, "%+v names no kernel", got)
		testkit.Says(t, "the line to copy", got.Shown, fmt.Sprintf("%s block %d", name, fastest.Block))
		testkit.Check(t, got.Lines > 1, "%d lines", got.Lines)
		b.Look("cell")
	})
	b.Run("explore", func(t *testing.T) {
		var got struct {
			Axes          []string
			Trials, One   string
			Drawn, Drawn2 string
		}
		b.Eval(`const of = document.getElementById("explore"), count = () => of.querySelector(".count").textContent, wait = () => new Promise((done) => setTimeout(done, 50));
			of.scrollIntoView({ behavior: "instant" });
			for (let i = 0; i < 200 && !count(); i++) await wait();
			const picture = () => of.querySelector("canvas").toDataURL(), all = count(), drawn = picture();
			const axes = [...document.getElementById("across").options].map((o) => o.value), which = document.getElementById("which");
			which.selectedIndex = 1;
			which.dispatchEvent(new Event("change"));
			for (let i = 0; i < 200 && count() === all; i++) await wait();
			const one = count(), drawn2 = picture();
			which.selectedIndex = 0;
			which.dispatchEvent(new Event("change"));
			for (let i = 0; i < 200 && count() !== all; i++) await wait();
			return { Axes: axes, Trials: all, One: one, Drawn: drawn, Drawn2: drawn2 }`, &got)
		good, one := 0, 0
		for i := range d.Panels {
			if p := &d.Panels[i]; p.Precision == "float32" {
				sized := len(lists.Where(p.Rows, func(r store.Row) bool { return r.Block > 0 }))
				if good += sized; p.Matrix == d.Panels[0].Matrix {
					one += sized
				}
			}
		}
		testkit.EqualLists(t, []string{got.Trials, got.One}, []string{fmt.Sprint(good, " trials, float32"), fmt.Sprint(one, " trials, float32")}, "trials")
		testkit.Check(t, got.Drawn != got.Drawn2, "the picture does not follow the matrix")
		for _, axis := range []string{"block", "grid", "time (ms)", "GFLOP/s", "nonzeros a row"} {
			testkit.Check(t, slices.Contains(got.Axes, axis), "no axis %s: %q", axis, got.Axes)
		}
		b.Look("explore")
		b.Scheme("dark")
		b.Resize(400)
		b.Eval(`document.getElementById("explore").scrollIntoView({ behavior: "instant" }); await new Promise((done) => setTimeout(done, 200))`, nil)
		b.Look("explore-phone")
		b.Scheme("light")
		b.Resize(1600)
	})
	b.Run("link", func(t *testing.T) {
		var got struct {
			Folded, Open bool
			Top          float64
		}
		b.Eval(`const figure = [...document.querySelectorAll("details figure")].at(-1), fold = figure.closest("details"), folded = !fold.open;
			location.hash = figure.id;
			const there = () => figure.querySelector("svg") && figure.getBoundingClientRect().top < 300;
			for (let i = 0; i < 200 && !there(); i++) await new Promise((done) => setTimeout(done, 30));
			return { Folded: folded, Open: fold.open && Boolean(figure.querySelector("svg")), Top: figure.getBoundingClientRect().top }`, &got)
		testkit.Check(t, got.Folded && got.Open && got.Top >= -10 && got.Top <= 900, "a link to a folded figure: %+v", got)
	})
	b.Run("folded", func(t *testing.T) {
		b.Open("file://" + filepath.Join(dir, "report.html"))
		var got struct{ Before, After, Left int }
		b.Eval(`const fold = document.querySelector("details:has([data-svg])"), before = fold.querySelectorAll("svg").length, left = fold.querySelectorAll("[data-svg]").length;
			fold.open = true;
			for (let i = 0; i < 200 && fold.querySelectorAll("svg").length < left; i++) await new Promise((done) => setTimeout(done, 30));
			return { Before: before, Left: left, After: fold.querySelectorAll("svg").length }`, &got)
		testkit.Check(t, got.Before == 0 && got.Left != 0 && got.After == got.Left, "pictures %+v", got)
	})
	b.Run("names", func(t *testing.T) {
		var nameless []string
		b.Eval(`return [...document.querySelectorAll("button, input, a, summary, [tabindex]")].filter((e) =>
			!e.hidden && !(e.textContent.trim() || e.ariaLabel || e.labels?.[0]?.textContent)).map((e) => e.outerHTML.slice(0, 80))`, &nameless)
		testkit.EqualLists(t, nameless, nil, "what a screen reader has no name for")
	})
	b.Run("print", func(t *testing.T) {
		var paper struct{ Data []byte }
		b.Answer("Page.printToPDF", map[string]any{"printBackground": false}, &paper)
		testkit.Check(t, len(paper.Data) >= 50_000 && strings.HasPrefix(string(paper.Data), "%PDF-"),
			"%d bytes on paper", len(paper.Data))
	})
	testkit.EqualLists(t, b.Complaints(), nil, "the browser complains")
}

// Every figure, every table of matrices and the page say what was measured; a figure of
// one matrix says it of that one.
func TestTwinsAreSaid(t *testing.T) {
	testkit.Long(t, "draws for long")
	d := synthetic.Processor().Report()
	note := "A twin, not the real matrix: model7."
	for i := range d.Matrices {
		if d.Matrices[i].Name == "uniform" {
			d.Matrices[i].TwinOf, d.Matrices[i].TwinScale = "model7", 1
		}
	}
	dir := t.TempDir()
	written := testkit.Must(Write(t.Context(), d, dir, Options{}))
	for _, name := range written.Files {
		text := testkit.Must(os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))))
		// no text in there, or only names
		if ext := filepath.Ext(name); ext == ".png" || ext == ".pdf" || ext == ".csv" {
			continue
		}
		other := false // of one other matrix alone
		for _, m := range d.Matrices {
			other = other || m.Name != "uniform" && strings.Contains(name, "-"+m.Name+".")
		}
		testkit.Equal(t, strings.Contains(flat(text), note), !other, "%s: what was measured is in it", name)
	}
}

// flat is the text of a file in one line, without what marks it up: a picture's text is
// broken into lines.
func flat(text []byte) string {
	return strings.Join(strings.Fields(markup.ReplaceAllString(string(text), " ")), " ")
}

var markup = regexp.MustCompile(`<[^>]*>`)
