// SPDX-License-Identifier: Apache-2.0

package tuner

import (
	"fmt"
	"slices"
	"testing"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/tuner/trial"
)

func TestHowManyAreRepeated(t *testing.T) {
	for _, tt := range []struct{ trials, most, want int }{
		{5, 12, 0}, {6, 12, 3}, {28, 12, 3}, {40, 12, 4}, {95, 12, 9}, {300, 12, 12}, {300, 5, 5}, {6, 2, 2}, {300, 0, 0},
	} {
		testkit.Equal(t, noiseRerunsOf(tt.trials, tt.most), tt.want, "of %d trials, %d at most", tt.trials, tt.most)
	}
}

// Only trials that ended well with all their samples are repeated, from all over the plan.
func TestWhoIsRepeated(t *testing.T) {
	plan := numbered(60)
	s := newNoiseReruns(12, plan, plan)
	for i, one := range plan {
		switch {
		case i%3 == 0: // failed
		case i%3 == 1:
			s.enter(trial.Record{Result: trial.Result{Trial: one, Stop: trial.StopSlow}})
		default:
			s.enter(trial.Record{Result: trial.Result{Trial: one, Stop: trial.StopTarget}})
		}
	}
	var got []int
	for j := s.next(); j != nil; j = s.next() {
		testkit.Check(t, j.noise && j.fresh(), "job %+v, want one that is prepared anew", j)
		got = append(got, j.Block)
		s.told(trial.Result{})
	}
	testkit.EqualLists(t, got, []int{2, 11, 20, 32, 41, 50}, "repeated")
}

// numbered is a plan of n trials of one case, whose blocks count from 0.
func numbered(n int) []trial.Trial {
	plan := make([]trial.Trial, n)
	for i := range plan {
		plan[i].ID, plan[i].Cache, plan[i].Block = fmt.Sprint(i), trial.Warm, i
	}
	return plan
}

// Runs that each measure a part repeat the same trials together as one run of all.
func TestPartsRepeatWhatTheWholeDoes(t *testing.T) {
	plan := numbered(125)
	chosen := func(own []trial.Trial) []trial.Trial {
		s := newNoiseReruns(12, plan, own)
		for _, one := range own {
			s.enter(trial.Record{Result: trial.Result{Trial: one, Stop: trial.StopTarget}})
		}
		return s.choice()
	}
	whole := chosen(plan)
	for _, n := range []int{2, 3, 7, 40} {
		var parts []trial.Trial
		for i := range n {
			parts = append(parts, chosen(trial.Cut(trial.Part{Index: i, Of: n}, plan))...)
		}
		testkit.EqualLists(t, parts, whole, "%d parts repeat", n)
	}
}

// spreadSweep has eight trials and no leader reruns.
func spreadSweep() *configs.Sweep {
	sweep := testSweep(101, 102, 103, 104, 105, 106, 107, 108)
	sweep.Protocol.Repeats = 12
	return sweep
}

// Some trials are measured again at the end, anew and with the fewest samples. They are no
// results, and are counted apart. What an interrupted run did not come to is made up for.
func TestSpreads(t *testing.T) {
	for _, gpu := range []bool{false, true} {
		sweep := spreadSweep()
		if gpu {
			onGPU(sweep)
		}
		rec := &memory{}
		sum := runTest(t, sweep, rec, Options{})
		testkit.Require(t, sum.NoiseReruns == 3 && len(rec.spreads) == 3 && len(rec.results) == 8 &&
			sum.LeaderReruns == 0 && sum.Trials == 8,
			"%d spreads, recorded %d and %d results: %+v", sum.NoiseReruns, len(rec.spreads), len(rec.results), sum)
		for _, r := range rec.spreads {
			testkit.Check(t, len(r.Samples) == 6 && !r.LeaderRerun && !r.Sentinel && !r.At.Before(rec.results[7].At),
				"spread %+v, want one of 6 samples after all results", r)
		}

		all := rec.spreads
		for kept := range 4 {
			rec.spreads = slices.Clone(all[:kept])
			sum := runTest(t, sweep, rec, Options{})
			testkit.Check(t, sum.NoiseReruns == 3-kept && sum.Finished == 8,
				"after %d spreads: %d more", kept, sum.NoiseReruns)
			for i, r := range rec.spreads {
				testkit.Equal(t, r.ID, all[i].ID, "after %d spreads, number %d is another one", kept, i)
			}
		}
	}
}

// Repeats of a round, and those of others, say which come after them: a GPU's formats are packed meanwhile.
func TestRepeatsSayWhatComesNext(t *testing.T) {
	leaders, others := newLeaderReruns(4, 1, "matrix", nil), newNoiseReruns(3, nil, nil)
	for i := range 2 * fewestNoiseReruns {
		known := trial.Record{Result: trial.Result{Trial: trial.Trial{ID: fmt.Sprint(i)}, Status: trial.OK, Median: 1}}
		leaders.enter(known)
		others.enter(known)
	}
	for name, s := range map[string]source{"leaders": leaders, "others": others} {
		j := s.next()
		testkit.Require(t, len(j.ahead) != 0, "%s: nothing comes after the first", name)
		s.told(trial.Result{Trial: j.Trial, Status: trial.OK, Median: 1})
		testkit.Equal(t, s.next().ID, j.ahead[0].ID, "%s: what comes after the first is trial", name)
	}
}
