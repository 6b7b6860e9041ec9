package table

import (
	"math"
	"strings"
	"testing"

	"spmvtune/kernels"
	"spmvtune/store"
	"spmvtune/store/compare"
	"spmvtune/tuner/stat"
)

// What changed since another database is counted, and slower ones come first; the mean is
// of times, and is told as how many times as fast.
func TestAgainstTable(t *testing.T) {
	pair := func(kernel string, v compare.Verdict, ratio float64) compare.Pair {
		return compare.Pair{A: &store.Good{}, B: &store.Good{}, Verdict: v, Matrix: "m", Precision: kernels.Float32,
			Cache:  "warm",
			Kernel: kernel, Ratio: stat.Ratio{Value: ratio, Low: 0.9 * ratio, High: 1.25 * ratio}}
	}
	r := &compare.Result{Matrices: 1, Mean: stat.Ratio{Value: 0.8, Low: 0.5, High: 1.25},
		Pairs: []compare.Pair{pair("a", compare.Faster, 0.5), pair("b", compare.Same, 1),
			pair("c", compare.Slower, 2), pair("d", compare.Unsure, 3)}}
	changes, notes := AgainstTable(r, "before.db")
	var listed []string
	for _, row := range changes.Rows {
		listed = append(listed, row[0].Text+" "+row[4].Text+" "+row[7].Text+" "+row[8].Text)
	}
	if got, want := strings.Join(listed, "; "), "unsure d 0.33× 0.267 to 0.370; slower c 0.50× 0.400 to 0.556; "+
		"faster a 2.0× 1.60 to 2.22"; got != want {
		t.Errorf("changes are %q, want %q", got, want)
	}
	if got := between(math.NaN(), math.NaN()); got != "–" {
		t.Errorf("without an interval it says %q", got)
	}
	text := strings.Join(notes, " ")
	for _, want := range []string{"have 4 pairs", "1 became faster, 1 slower, and 1 show no difference",
		"1 can't be judged",
		"1.25 times as fast (95% interval: 0.800 to 2.00)", "over 1 common matrix."} {
		if !strings.Contains(text, want) {
			t.Errorf("the notes lack %q: %s", want, text)
		}
	}
	r.Mean = stat.Ratio{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}
	if _, notes := AgainstTable(r, "before.db"); strings.Contains(notes[0], "times as fast") {
		t.Errorf("without a mean: %s", notes[0])
	}
}
