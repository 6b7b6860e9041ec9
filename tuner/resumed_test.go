package tuner

import (
	"maps"
	"slices"
	"testing"
	"time"

	"spmvtune/tuner/trial"
)

// A trial that was cut short because it is slow counts for the finals of its place, and is no sentinel, also
// where an earlier run measured it: a library's needs finals for the ratios over it.
func TestSlowTrialsWhenResumed(t *testing.T) {
	trials := trialsOf(trial.Warm, "a b c")
	results := make([]trial.Result, len(trials))
	for i, one := range trials {
		results[i] = trial.Result{Trial: one, Status: trial.OK, Median: float64(10 - i), At: time.Unix(int64(i), 0)}
	}
	results[0].Stop = trial.StopSlow
	sweep := testSweep()
	sweep.Protocol.Finals, sweep.Protocol.Sentinel = 5, 1

	inRun := newQueue(&list{trials}, nil, 1, newFinals(5, 1, ""), newSpreads(0, nil, nil))
	for _, r := range results {
		inRun.told(r)
	}
	r := newRun(sweep, &memory{results: results}, Options{})
	w, err := r.workOn(t.Context(), Plan{Trials: trials, Whole: trials})
	if err != nil {
		t.Fatal(err)
	}
	resumed := newQueue(w.source, w.good, 1, r.finals, r.spreads)

	for what, q := range map[string]*queue{"in a run": inRun, "resumed": resumed} {
		var entered []string
		for _, place := range slices.Collect(maps.Values(q.finals.ranking)) {
			for _, c := range place.trials {
				entered = append(entered, c.ID)
			}
		}
		if slices.Sort(entered); !slices.Equal(entered, []string{"a", "b", "c"}) {
			t.Errorf("%s, %v count for the finals", what, entered)
		}
		if s := q.sentinels[trial.Warm]; s == nil || s.ID == "a" {
			t.Errorf("%s, the sentinel is %+v", what, s)
		}
	}
}
