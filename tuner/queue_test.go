package tuner

import (
	"slices"
	"strings"
	"testing"

	"spmvtune/internal/testing/testkit"
	"spmvtune/tuner/trial"
)

// order plays a queue: trials whose name starts with "bad" fail, as does the n-th
// sentinel, from 1, where failing is n. Sentinels are marked with a star.
func order(q *queue, failing int) string {
	var jobs []string
	for j := q.next(); j != nil; j = q.next() {
		r := trial.Result{Trial: j.Trial, Status: trial.OK, Sentinel: j.sentinel, Median: took(j.ID)}
		if strings.HasPrefix(j.ID, "bad") {
			r.Status = trial.Fault
		}
		name := j.ID
		if j.sentinel {
			name += "*"
			if failing--; failing == 0 {
				r.Status = trial.Fault
			}
		}
		jobs = append(jobs, name)
		q.told(r)
	}
	return strings.Join(jobs, " ")
}

// took returns how many seconds a trial takes: hours if its name ends so.
func took(id string) float64 {
	if strings.HasSuffix(id, "-hours") {
		return 5000
	}
	return 1
}

func trialsOf(cache trial.Cache, ids string) (list []trial.Trial) {
	for _, id := range strings.Fields(ids) {
		list = append(list, trial.Trial{ID: id, Cache: cache})
	}
	return list
}

func TestQueue(t *testing.T) {
	for _, tt := range []struct {
		name             string
		warm, cold, good string
		every, failing   int
		want             string
	}{
		{"no sentinels", "a b c d", "", "", 0, 0, "a b c d"},
		{"every two", "a b c d e f", "", "", 2, 0, "a b c a* d e a* f"},
		{"not after the last", "a b c", "", "", 2, 0, "a b c"},
		{"the first good one", "bad1 bad2 c d e", "", "", 1, 0, "bad1 bad2 c d c* e"},
		{"failed ones count", "a bad1 bad2 b", "", "", 2, 0, "a bad1 bad2 a* b"},
		{"each cache state has its own", "a b c", "d e f", "", 1, 0, "a b a* c d e d* f"},
		{"that of an earlier run goes on, at once", "c d e f", "", "a b", 2, 0, "a* c d a* e f"},
		{"where it is left off, there is no need", "", "d e", "a", 2, 0, "d e"},
		{"one that is much faster takes over", "a-hours b-hours c d e f", "", "", 2, 0, "a-hours b-hours c d e c* f"},
		{"also in an earlier run", "d e", "", "a-hours b c", 2, 0, "b* d e"},
		{"one that fails is replaced", "a b c d e", "", "", 1, 1, "a b a* c d c* e"},
	} {
		var good []trial.Record
		for _, t := range trialsOf(trial.Warm, tt.good) {
			good = append(good, trial.Record{Result: trial.Result{Trial: t, Median: took(t.ID)}})
		}
		q := queueOf(tt.every, &list{slices.Concat(trialsOf(trial.Warm, tt.warm), trialsOf(trial.Cold, tt.cold))})
		for _, r := range good {
			q.appoint(r.Result, tt.every)
		}
		testkit.Equal(t, order(q, tt.failing), tt.want, "%s", tt.name)
	}
}

// queueOf is a queue of some sources.
func queueOf(every int, sources ...source) *queue {
	return &queue{sources: sources, every: every, sentinels: map[trial.Cache]*sentinel{}}
}
