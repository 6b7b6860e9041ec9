package status

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"spmvtune/kernels"
	"spmvtune/slurm/merge"
	"spmvtune/tuner/journal"
	"spmvtune/tuner/trial"
)

// Best is the fastest trial so far in one place.
type Best struct {
	Device    string            `json:"device"`
	Matrix    string            `json:"matrix"`
	Precision kernels.Precision `json:"precision"`
	Cache     trial.Cache       `json:"cache"`
	Kernel    string            `json:"kernel"`
	Setting   string            `json:"setting"` // Setting is the rest of the configuration.
	Seconds   float64           `json:"seconds"` // Seconds is the time of one product.
	GFLOPS    float64           `json:"gflops"`
}

// count takes in a trial of a journal. A trial that several journals have counts once.
//
// One program measures a run, under one protocol, so that a configuration has one identity in
// each place, and all its results are of one measurement version.
func (t *Tracker) count(family string, line *journal.Trial) {
	if line.Again() {
		return
	}
	key := trial.KeyOf(line.ID)
	standing := line.Precedence()

	t.mu.Lock()
	defer t.mu.Unlock()
	before, known := t.ended[key]
	if !known {
		t.families[family]++
		t.pace.add(line.Run.At, line.At)
	}

	if !known || standing.Replaces(trial.Precedence{Status: before}) {
		t.ended[key] = line.Status
	}
	if !standing.Good() || line.Median <= 0 {
		return
	}
	t.measured[line.Run.Origin.Node] = true
	at := trial.Case{
		Device: line.Run.Device.Name, Matrix: line.Matrix.Name, Precision: line.Precision, Cache: line.Cache,
	}
	if best, ok := t.best[at]; !ok || line.Median < best.Seconds {
		t.best[at] = bestOf(at, line)
	}
}

func bestOf(at trial.Case, line *journal.Trial) Best {
	setting := strings.TrimPrefix(line.Config.String(), line.Kernel+" "+string(at.Precision))
	return Best{
		Device: at.Device, Matrix: at.Matrix, Precision: at.Precision, Cache: at.Cache,
		Kernel: line.Kernel, Setting: strings.TrimSpace(setting),
		Seconds: line.Median, GFLOPS: 2e-9 * float64(line.Matrix.Features.Nonzeros) / line.Median,
	}
}

// trials counts the trials that are done, and estimates how many there are. The journals know
// that of a family of chunks that is complete; otherwise the plan has an estimate.
func (t *Tracker) trials() merge.Trials {
	if t.glance {
		return t.merged.Trials
	}
	var n merge.Trials
	for _, status := range t.ended {
		n.Add(status, 1)
	}

	open := map[string]bool{}
	for _, m := range t.missing {
		open[journal.Family(m.Chunk)] = true
	}
	for _, c := range t.plan.Chunks {
		if journal.Family(c.ID) != c.ID {
			continue // a half, which the whole chunk already counts
		}
		n.Of += t.families[c.ID]
		if open[c.ID] {
			n.Of += max(0, c.Trials-t.families[c.ID])
		}
	}

	return n
}

// bests returns the fastest trials by device, matrix, precision and cache state.
func (t *Tracker) bests() []Best {
	return slices.SortedFunc(maps.Values(t.best), func(a, b Best) int {
		return cmp.Or(cmp.Compare(a.Device, b.Device), cmp.Compare(a.Matrix, b.Matrix),
			cmp.Compare(a.Precision, b.Precision), cmp.Compare(a.Cache, b.Cache))
	})
}
