package plots

import (
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/plots/data"
	"spmvtune/plots/synthetic"
)

// TestPageInBrowser reads the report as its users do: on a phone and on a large screen,
// in the light and in the dark, with mouse and keyboard, and on paper.
func TestPageInBrowser(t *testing.T) {
	draws(t)
	b := browse(t)
	s := synthetic.Processor()
	d := s.Report()
	for i := range 12 {
		r := &d.Rows[len(d.Rows)/12*i]
		r.Status, r.Message = "timeout", "took longer than 2s and was ended"
	}
	d = data.New(d.Rows, d.Best, d.Matrices, d.Devices)
	dir := t.TempDir()
	if _, err := Write(t.Context(), synthetic.Ruled(d), dir, Options{}); err != nil {
		t.Fatal(err)
	}
	b.open(filepath.Join(dir, "report.html"))

	for _, width := range []int{400, 1600} {
		b.resize(width)
		var wide []string
		b.eval(`return [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 &&
			!e.closest(".scroll, .skip, .unseen, #tip") && e.offsetParent).map((e) => e.outerHTML.slice(0, 80))`, &wide)
		var scrolls bool
		b.eval(`return document.documentElement.scrollWidth > innerWidth`, &scrolls)
		if scrolls || len(wide) > 0 {
			t.Errorf("at %d pixels the page overflows: %q", width, wide)
		}
		for _, scheme := range []string{"light", "dark"} {
			b.scheme(scheme)
			b.look(scheme + map[int]string{400: "-phone", 1600: "-screen"}[width])
		}
	}

	b.run("colours", func(t *testing.T) {
		var light, dark string
		const ink = `return getComputedStyle(document.querySelector(".picture svg text")).fill + getComputedStyle(document.body).backgroundColor`
		b.scheme("light")
		b.eval(ink, &light)
		b.scheme("dark")
		b.eval(ink, &dark)
		if light == dark || light == "" {
			t.Errorf("light %q, dark %q", light, dark)
		}
	})
	b.run("sort", func(t *testing.T) {
		var got struct {
			Sort   string
			Values []float64
		}
		b.eval(`const table = document.querySelector("#best-1 table"), i = [...table.tHead.rows[0].cells].findIndex((c) => c.textContent.startsWith("time"));
			const button = table.tHead.rows[0].cells[i].querySelector("button");
			button.click(); button.click();
			return { Sort: table.tHead.rows[0].cells[i].ariaSort, Values: [...table.tBodies[0].rows].map((r) => Number(r.cells[i].dataset.key)) }`, &got)
		if got.Sort != "descending" || len(got.Values) < 5 {
			t.Errorf("sorted %+v", got)
		}
		for i := 1; i < len(got.Values); i++ {
			if got.Values[i] > got.Values[i-1] {
				t.Errorf("not in order: %v", got.Values)
			}
		}
	})
	b.run("filter", func(t *testing.T) {
		var got struct {
			All, Shown int
			Status     string
		}
		b.eval(`const input = document.querySelector("#failures input"), matrix = document.querySelector("#failures tbody td:nth-child(2)").textContent;
			input.value = "TIMEOUT " + matrix;
			input.dispatchEvent(new Event("input"));
			const rows = [...document.querySelectorAll("#failures tbody tr")];
			const shown = rows.filter((r) => r.offsetParent);
			if (shown.some((r) => !r.textContent.includes(matrix))) return { All: 0 };
			return { All: rows.length, Shown: shown.length, Status: document.querySelector("#failures .count").textContent }`, &got)
		if got.All != 12 || got.Shown == 0 || got.Shown == 12 || !strings.HasSuffix(got.Status, "of 12") {
			t.Errorf("filtered %+v", got)
		}
	})
	b.run("marks", func(t *testing.T) {
		var got struct{ Key, Heard, Pointer string }
		b.eval(`const frame = () => new Promise(requestAnimationFrame), tip = document.getElementById("tip"); // a frame begins with the events of scrolling
			const said = async () => { for (let i = 0; i < 2000 && tip.hidden; i++) await frame(); return tip.hidden ? "" : tip.textContent };
			const picture = document.querySelector("[id^=throughput-vs-block] .picture");
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
		for _, want := range []string{"block", " ms (", "GFLOP/s", "float"} {
			if !strings.Contains(got.Key, want) {
				t.Errorf("the last mark says %q without %q", got.Key, want)
			}
		}
		if got.Heard != got.Key {
			t.Errorf("a screen reader hears %q", got.Heard)
		}
		if got.Pointer != got.Key {
			t.Errorf("pointing at the mark says %q, the keyboard %q", got.Pointer, got.Key)
		}
		b.look("mark")
	})
	b.run("folded", func(t *testing.T) {
		var got struct{ Before, After, Left int }
		b.eval(`const fold = document.querySelector("details:has([data-svg])"), before = fold.querySelectorAll("svg").length, left = fold.querySelectorAll("[data-svg]").length;
			fold.open = true;
			for (let i = 0; i < 200 && fold.querySelectorAll("svg").length < left; i++) await new Promise((done) => setTimeout(done, 30));
			return { Before: before, Left: left, After: fold.querySelectorAll("svg").length }`, &got)
		if got.Before != 0 || got.Left == 0 || got.After != got.Left {
			t.Errorf("pictures %+v", got)
		}
	})
	b.run("names", func(t *testing.T) {
		var nameless []string
		b.eval(`return [...document.querySelectorAll("button, input, a, summary, [tabindex]")].filter((e) =>
			!(e.textContent.trim() || e.ariaLabel || e.labels?.[0]?.textContent)).map((e) => e.outerHTML.slice(0, 80))`, &nameless)
		if len(nameless) > 0 {
			t.Errorf("a screen reader has no name for %q", nameless)
		}
	})
	b.run("print", func(t *testing.T) {
		var paper struct{ Data []byte }
		b.answer("Page.printToPDF", map[string]any{"printBackground": false}, &paper)
		if len(paper.Data) < 50_000 || !strings.HasPrefix(string(paper.Data), "%PDF-") {
			t.Errorf("%d bytes on paper", len(paper.Data))
		}
	})
	if list := b.complaints(); len(list) > 0 {
		t.Errorf("the browser complains: %q", list)
	}
}
