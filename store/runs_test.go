package store

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"spmvtune/internal/testing/testkit"
	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// runsEnv names databases of one sweep, with commas between them.
const runsEnv = "SPMVTUNE_RUNS"

// TestIntervalsOfRuns shows how often the intervals of two runs agree, going by the repeats that
// each has.
func TestIntervalsOfRuns(t *testing.T) {
	if os.Getenv(runsEnv) == "" {
		t.Skip(runsEnv + " names no databases")
	}
	var runs []map[string]Row
	for _, path := range strings.Split(os.Getenv(runsEnv), ",") {
		runs = append(runs, decided(t, path))
	}

	var within, withinShort, all, short, hopeless agreement
	for i, one := range runs {
		for _, two := range runs[:i] {
			for id, x := range one {
				y, there := two[id]
				if !there || x.Another.Low == 0 || y.Another.Low == 0 {
					continue
				}
				if x.WithinLow == 0 || y.WithinLow == 0 { // it ended with its first products
					hopeless.add(x, y)
					continue
				}
				all.add(x, y)
				within.add(inRun(x), inRun(y))
				if min(x.Median, y.Median) < 10e-6 {
					short.add(x, y)
					withinShort.add(inRun(x), inRun(y))
				}
			}
		}
	}
	within.log(t, "within a run")
	withinShort.log(t, "within a run, below 10 µs")
	all.log(t, "in another run")
	short.log(t, "in another run, below 10 µs")
	hopeless.log(t, "trials that ended with their first products")
}

// inRun takes the interval of the median within the run for that of another run.
func inRun(r Row) Row {
	r.Another = trial.Interval{Low: r.WithinLow, High: r.WithinHigh}
	return r
}

// decided returns the trials of a database, of which a copy was decided anew.
func decided(t *testing.T, path string) map[string]Row {
	from := testkit.Must(OpenReadOnly(path))
	defer from.Close()
	db := testkit.Must(Open(changed(t, from, "DELETE FROM tie_set")))
	defer db.Close()
	decideAll(t, db)

	rows := testkit.Must(db.Results(t.Context(), Filter{}))
	found := map[string]Row{}
	for _, r := range rows {
		found[r.ID] = r
	}
	return found
}

// An agreement counts pairs of one trial in two runs.
type agreement struct {
	pairs, apart, contained int // each of two intervals may contain the other's median
	halves                  []float64
}

func (a *agreement) add(x, y Row) {
	a.pairs++
	if x.Another.High < y.Another.Low || y.Another.High < x.Another.Low {
		a.apart++
	}
	for _, r := range [][2]Row{{x, y}, {y, x}} {
		if r[0].Another.Low <= r[1].Median && r[1].Median <= r[0].Another.High {
			a.contained++
		}
		a.halves = append(a.halves, math.Sqrt(r[0].Another.High/r[0].Another.Low)-1)
	}
}

func (a *agreement) log(t *testing.T, what string) {
	slices.Sort(a.halves)
	t.Logf("%s: %d pairs, intervals apart %.1f%%, contain the other median %.1f%%, median half width %.1f%%", what,
		a.pairs, 100*float64(a.apart)/float64(a.pairs), 50*float64(a.contained)/float64(a.pairs),
		100*stat.Median(a.halves))
}
