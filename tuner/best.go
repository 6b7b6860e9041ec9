package tuner

import "spmvtune/tuner/trial"

// placeOf returns the place of a trial within a run, all of which is on one device.
func placeOf(t trial.Trial) trial.Case { return t.Place("") }

// bests are the lowest medians of a matrix so far, in seconds.
type bests map[trial.Case]float64

// note notes the median of a trial, unless it is a program's own.
func (r *run) note(t trial.Trial, median float64) {
	if !r.finals.programs[t.Kernel] {
		r.best.note(t, median)
	}
}

// note notes the median of a trial.
func (b bests) note(t trial.Trial, median float64) {
	if old, is := b[placeOf(t)]; median > 0 && (!is || median < old) {
		b[placeOf(t)] = median
	}
}
