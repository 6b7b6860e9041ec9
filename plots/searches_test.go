package plots

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/sparse"
	"spmvtune/store"
	"spmvtune/tuner"
	"spmvtune/tuner/replay"
	"spmvtune/tuner/search"
	"spmvtune/tuner/trial"
)

// searchedOn are searches on three grids of 120 configurations whose course follows
// formulas: what a strategy really finds is no matter of pictures.
func searchedOn(device string) (s searched) {
	for n := range 3 {
		g := &replay.Grid{Place: trial.Place{Device: device, Matrix: fmt.Sprintf("m%d", n), Precision: kernels.Float64, Cache: trial.Cold}}
		for i := range 120 {
			g.Trials = append(g.Trials, trial.Result{Trial: trial.Trial{Config: kernels.Config{Kernel: "k", Block: i}}, Status: trial.OK, Batch: 1, Median: 1e-5, Samples: []float64{1e-5}})
		}
		whole := g.Exhaustive()
		for i, strategy := range []string{"random", "racing", "local"} {
			paths := make([]replay.Path, 10)
			for seed := range paths {
				steps := 120 / (1 + i)
				for step := range steps {
					share := float64(step+1) / 120 * math.Pow(float64(step+1)/float64(steps), float64(i)*(0.8+0.4*wave(seed+n)))
					loss := 2*math.Exp(-(4+float64(i))*float64(step)/float64(steps)*(1+wave(7*seed+n))) - 0.02*wave(seed)
					paths[seed].Points = append(paths[seed].Points, replay.Point{Steps: step + 1, Seconds: share * whole, Loss: max(0, loss)})
				}
			}
			s.outcomes = append(s.outcomes, replay.Sum(g, strategy, paths))
		}
	}
	return s
}

// Searches are replayed on what a whole sweep has measured, if there is enough of it for a
// search to save anything, and on so little of it that the report does not wait.
func TestSearchables(t *testing.T) {
	rows := func(device, sweep, matrix string, n int) (list []store.Row) {
		for i := range n {
			r := row("k", i, 0, 1)
			r.Device, r.Sweep, r.Matrix, r.Cache = device, sweep, matrix, trial.Warm
			r.Status = []trial.Status{trial.OK, trial.OK, trial.Wrong}[i%3]
			list = append(list, r)
		}
		return list
	}
	all := slices.Concat(rows("d", "whole", "small", leastSearched-1), rows("d", "whole", "fits", leastSearched), rows("d", "whole", "huge", mostSearched+1),
		rows("d", "raced", "other", 100), rows("e", "whole", "fits", mostSearched))
	d := newData(all, nil, nil, nil)
	d.sweeps = []store.Sweep{{Name: "whole", Text: "name = \"whole\""}, {Name: "whole", Text: "[search]\nstrategy = \"racing\""}, {Name: "raced", Text: "[search]\nstrategy = \"racing\""}}
	var found []string
	for _, s := range d.searchables() {
		found = append(found, fmt.Sprint(s.Device, s.matrix, s.configs))
	}
	if want := []string{fmt.Sprint("dfits", leastSearched), fmt.Sprint("efits", mostSearched)}; !slices.Equal(found, want) {
		t.Errorf("grids %v, want %v", found, want)
	}
	var many []searchable
	for i := range 500 {
		many = append(many, searchable{matrix: fmt.Sprint(i), configs: 100 + i%7})
	}
	taken, sum := some(many), 0
	for _, s := range taken {
		sum += s.configs
	}
	if sum > searchedAtOnce+200 || sum < searchedAtOnce/2 || taken[len(taken)-1].matrix < "450" {
		t.Errorf("%d grids of %d configurations, the last %s", len(taken), sum, taken[len(taken)-1].matrix)
	}
	if got := some(many[:3]); len(got) != 3 {
		t.Errorf("%d of three small grids", len(got))
	}
}

// The figure has a panel for each strategy but the whole grid, a page for each device, and
// says how many grids it leaves out; the summary has the numbers.
func TestSearchesInTheReport(t *testing.T) {
	s := processor()
	s.matrices = s.matrices[:2]
	d := s.data()
	d.searched.outcomes = append(d.searched.outcomes, searchedOn("another device").outcomes...)
	d.searched.left = 17
	pages, _ := drawConvergence(d)
	if len(pages) != 2 || pages[0].Name == pages[1].Name {
		t.Fatalf("%d pages for two devices", len(pages))
	}
	texts := textsOf(pages[1])
	for _, strategy := range []string{"racing", "local"} {
		n := 0
		for _, text := range texts {
			if text == strategy {
				n++
			}
		}
		if n != 2 { // the legend and a panel
			t.Errorf("%s is on the page %d times", strategy, n)
		}
	}
	if p := pages[0]; !strings.Contains(p.Subtitle, "3 recorded grids of 120 configurations, 10 seeds each; 17 more") {
		t.Errorf("the page says %q", p.Subtitle)
	}
	content, _ := written(t, d, nil, Options{Figures: []string{convergenceID}})
	summary := string(content["tables/summary.md"])
	for _, want := range []string{"| racing ", "cold cache, another device", "until it ends"} {
		if !strings.Contains(summary, want) {
			t.Errorf("the summary lacks %q", want)
		}
	}
	if !strings.Contains(string(content["report.html"]), `id="`+pages[1].Name+`"`) {
		t.Error("the report lacks the page of the other device")
	}
}

// What is searched comes from the database: grids of the sweep's own size, each by every
// strategy, and the same each time.
func TestSearchInDatabase(t *testing.T) {
	ctx := t.Context()
	db, err := store.Open(filepath.Join(t.TempDir(), "results.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	run := tuner.RunInfo{Sweep: &configs.Sweep{Name: "whole", Text: []byte("name = \"whole\"\n")}, Protocol: "warmup=1",
		Device: kernels.Device{Backend: "cpu", Name: "Testcore 9000"}, Sources: map[string]string{"cpu_csr_rows": "1"}}
	if err := db.Begin(ctx, run); err != nil {
		t.Fatal(err)
	}
	for name, n := range map[string]int{"large": leastSearched + 4, "small": leastSearched - 1} {
		if err := db.Matrix(ctx, trial.Matrix{Name: name, Hash: name, Class: name, Source: name, Field: "real", Symmetry: "general",
			Features: sparse.Features{Rows: 10, Cols: 10, Nonzeros: 50}}); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			sec := 1e-3 * (1 + wave(i))
			r := trial.Result{Trial: trial.Trial{ID: fmt.Sprint(name, i), Matrix: name, Cache: trial.Warm,
				Config: kernels.Config{Kernel: "cpu_csr_rows", Precision: kernels.Float64, Block: 32 * (i + 1), Grid: 1}},
				Status: trial.OK, Median: sec, Low: sec, High: sec, Samples: []float64{sec, sec}, Batch: 1, Stop: trial.StopTarget, At: time.Unix(1e9, 0)}
			if err := db.Record(ctx, r); err != nil {
				t.Fatal(err)
			}
		}
	}
	var ends []float64
	for range 2 {
		rows, err := db.Results(ctx, store.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		d, err := load(ctx, db, rows)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.search(ctx, db); err != nil {
			t.Fatal(err)
		}
		var strategies []string
		for _, o := range d.searched.outcomes {
			strategies = append(strategies, o.Strategy)
			if o.Grid.Matrix != "large" || len(o.Grid.Trials) != leastSearched+4 || len(o.Paths) != searchSeeds {
				t.Errorf("%s: %d searches on %s with %d configurations", o.Strategy, len(o.Paths), o.Grid.Matrix, len(o.Grid.Trials))
			}
			ends = append(ends, o.End.Share)
		}
		if !slices.Equal(strategies, search.Replayable()) {
			t.Errorf("strategies %v", strategies)
		}
	}
	if n := len(ends) / 2; !slices.Equal(ends[:n], ends[n:]) {
		t.Errorf("searches end at %v and then at %v", ends[:n], ends[n:])
	}
}
