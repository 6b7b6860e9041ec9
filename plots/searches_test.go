package plots

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"spmvtune/kernels"
	"spmvtune/store"
	"spmvtune/tuner/replay"
)

// recorded is a grid whose times follow formulas, in microseconds per product.
func recorded(device string, n int) *replay.Grid {
	g := &replay.Grid{Device: device, Matrix: fmt.Sprintf("m%d", n), Precision: kernels.Float64, Cache: "cold", Cost: replay.Cost{Warmup: 2, Flush: 1e-5}}
	for i := range 120 {
		t := replay.Trial{Config: kernels.Config{Kernel: []string{"a", "b", "c"}[i%3], Precision: kernels.Float64, Block: 32 << (i / 3 % 5), Grid: 8 << (i / 15)},
			OK: true, Batch: 1}
		t.Median = 1e-5 * (1 + 0.3*math.Abs(float64(i/3%5-n)) + 0.1*math.Abs(float64(i/15-5)) + 0.4*float64((i+n)%3) + 0.05*wave(i))
		for j := range 20 {
			t.Samples = append(t.Samples, t.Median*(1+0.01*(wave(i+j)-0.5)))
		}
		g.Trials = append(g.Trials, t)
	}
	return g
}

// searchedOn are searches on three such grids.
func searchedOn(device string) (s searched) {
	for n := range 3 {
		if err := s.add(context.Background(), recorded(device, n)); err != nil {
			panic(err)
		}
	}
	return s
}

// Searches are replayed on what a whole sweep has measured, if there is enough of it for a
// search to save anything, and on so little of it that the report does not wait.
func TestSearchables(t *testing.T) {
	rows := func(device, sweep, matrix string, n int) (list []store.Row) {
		for i := range n {
			list = append(list, store.Row{Device: device, Sweep: sweep, Matrix: matrix, Cache: "warm", Precision: kernels.Float64, Kernel: "k", Block: i, Status: []string{"ok", "ok", "wrong"}[i%3], MedianMS: 1})
		}
		return list
	}
	all := slices.Concat(rows("d", "whole", "small", leastSearched-1), rows("d", "whole", "fits", leastSearched), rows("d", "whole", "huge", mostSearched+1),
		rows("d", "raced", "other", 100), rows("e", "whole", "fits", mostSearched))
	d := newData(all, nil, nil, nil)
	d.sweeps = []store.Sweep{{Name: "whole", Text: "name = \"whole\""}, {Name: "raced", Text: "[search]\nstrategy = \"racing\""}}
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
	for _, strategy := range []string{"racing", "annealing", "local", "model"} {
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
