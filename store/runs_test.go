package store

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// runsEnv names three databases of one sweep, with commas between them.
const runsEnv = "SPMVTUNE_RUNS"

// perPlace is how many trials of a place are taken from another run, as repeats.
const perPlace = 12

// TestIntervalsOfRuns shows how often the intervals of two runs agree, if both know how far runs
// differ from repeats that are taken from the third.
func TestIntervalsOfRuns(t *testing.T) {
	paths := strings.Split(os.Getenv(runsEnv), ",")
	if len(paths) != 3 {
		t.Skip(runsEnv + " does not name three databases")
	}
	agree(t, paths, "with finals", "")
	agree(t, paths, "without finals", "DELETE FROM sentinel WHERE final")
}

// agree compares two runs each, which were changed first.
func agree(t *testing.T, paths []string, name, change string) {
	var all, short agreement
	for third := range paths {
		a, b := (third+1)%3, (third+2)%3
		one, two := informed(t, paths[a], paths[third], change), informed(t, paths[b], paths[third], change)
		for key, x := range one {
			y, there := two[key]
			if !there || x.Another.Low == 0 || y.Another.Low == 0 {
				continue
			}
			all.add(x, y)
			if min(x.Median, y.Median) < 10e-6 {
				short.add(x, y)
			}
		}
	}
	all.log(t, name)
	short.log(t, name+", below 10 µs")
}

// informed returns the trials that count of a database, which was changed and given repeats from
// another one.
func informed(t *testing.T, path, repeats, change string) map[[2]string]Row {
	ctx := t.Context()
	copied := filepath.Join(t.TempDir(), "run.db")
	if err := copyTo(ctx, copied, path); err != nil {
		t.Fatal(err)
	}
	db, err := Open(copied)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.write.ExecContext(ctx, change); err != nil {
		t.Fatal(err)
	}

	rng := rand.New(rand.NewPCG(1, 1))
	taken := map[trial.Place]int{}
	from := rowsOf(t, repeats)
	rng.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
	for _, r := range from {
		if p := r.Place(); r.Low > 0 && r.Stop != trial.StopSlow && taken[p] < perPlace {
			taken[p]++
			if _, err := db.write.ExecContext(ctx, `INSERT INTO sentinel (identity, at, median, low, high, throttled, spread, data)
				VALUES (?, ?, ?, ?, ?, 0, 1, x'')`, r.ID, r.At.UnixMilli(), r.Median, r.Low, r.High); err != nil {
				t.Fatal(err)
			}
		}
	}
	decideAll(t, db)
	found := map[[2]string]Row{}
	rows, err := db.Results(ctx, Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		found[[2]string{r.Result.Matrix, r.ID}] = r
	}
	return found
}

func rowsOf(t *testing.T, path string) []Row {
	db, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Results(context.Background(), Filter{})
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(rows, func(r Row) bool { return r.Status != trial.OK })
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
