package tuner

import (
	"slices"

	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// PlayFinals plays the leader reruns of trials of one case, whose measurements draw gives. It
// returns the index of the trial to name, and the number of leader reruns.
func PlayFinals(most int, seed uint64, trials []trial.Trial, draw func(i int) float64) (named, count int) {
	f := newLeaderReruns(most, seed, "")
	index := map[string]int{}
	lowest := 0.0
	for i, t := range trials {
		index[t.ID] = i
		median := draw(i)
		if i == 0 || median < lowest {
			named, lowest = i, median
		}
		f.enter(trial.Result{Trial: t, Median: median}, nil)
	}
	for j := f.next(); j != nil; j = f.next() {
		f.told(trial.Result{Trial: j.Trial, Status: trial.OK, LeaderRerun: true, Median: draw(index[j.ID])})
		count++
	}

	if count == 0 {
		return named, 0
	}
	leaders := f.ranking[caseOf(trials[0])].leaders
	judged := make([]stat.Candidate, len(leaders))
	for i, c := range leaders {
		judged[i] = stat.Candidate{Config: c.Config, Medians: stat.Fair(c.medians[0], slices.Clone(c.medians[1:]))}
	}
	return index[leaders[stat.Judge(judged).Named].ID], count
}
