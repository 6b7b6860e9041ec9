package status

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"spmvtune/kernels"
	"spmvtune/slurm/merge"
	"spmvtune/tuner/journal"
	"spmvtune/tuner/trial"
)

// Best is the fastest line so far of a matrix on a device, in a precision and a state
// of the caches: others are never compared.
type Best struct {
	Device    string            `json:"device"`
	Matrix    string            `json:"matrix"`
	Precision kernels.Precision `json:"precision"`
	Cache     trial.Cache       `json:"cache"`
	Kernel    string            `json:"kernel"`
	Setting   string            `json:"setting"` // the rest of its configuration
	Seconds   float64           `json:"seconds"` // per product
	GFLOPS    float64           `json:"gflops"`
}

type bestKey struct {
	device, matrix string
	precision      kernels.Precision
	cache          trial.Cache
}

// count takes in a line. One that several journals have counts once, and once it
// has ended well, that stays.
func (t *Tracker) count(family string, line *journal.Trial) {
	if line.Again() {
		return
	}
	key := keyOf(line.ID)
	t.mu.Lock()
	defer t.mu.Unlock()
	status, known := t.ended[key]
	if !known {
		t.families[family]++
		t.pace.add(line.Run.At, line.At)
	}
	if status != trial.OK {
		t.ended[key] = line.Status
	}
	if line.Status != trial.OK || line.Median <= 0 {
		return
	}
	at := bestKey{line.Run.Device.Name, line.Matrix.Name, line.Config.Precision, line.Cache}
	if best, ok := t.best[at]; ok && best.Seconds <= line.Median {
		return
	}
	setting := strings.TrimPrefix(line.Config.String(), line.Kernel+" "+string(at.precision))
	t.best[at] = Best{
		Device: at.device, Matrix: at.matrix, Precision: at.precision, Cache: at.cache, Kernel: line.Kernel, Setting: strings.TrimSpace(setting),
		Seconds: line.Median, GFLOPS: 2e-9 * float64(line.Matrix.Features.Nonzeros) / line.Median,
	}
}

// A trialKey is the first half of a line's identity: among a million trials the
// chance that two share their 64 bits is 3·10⁻⁸.
type trialKey uint64

func keyOf(id string) trialKey {
	key, err := strconv.ParseUint(id[:min(len(id), 16)], 16, 64)
	if err != nil { // not an identity of ours: spread it all the same
		for _, b := range []byte(id) {
			key = (key ^ uint64(b)) * 1099511628211 // FNV-1a
		}
	}
	return trialKey(key)
}

// trials counts what is done, and guesses what there is: of a family of chunks that
// is complete its journals know, else the plan.
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
			continue // a half, and the whole is there, too
		}
		n.Of += t.families[c.ID]
		if open[c.ID] {
			n.Of += max(0, c.Trials-t.families[c.ID])
		}
	}
	return n
}

// bests are the fastest trials, by device, matrix, precision and state of the caches.
func (t *Tracker) bests() []Best {
	var list []Best
	for _, b := range t.best {
		list = append(list, b)
	}
	slices.SortFunc(list, func(a, b Best) int {
		return cmp.Or(cmp.Compare(a.Device, b.Device), cmp.Compare(a.Matrix, b.Matrix),
			cmp.Compare(a.Precision, b.Precision), cmp.Compare(a.Cache, b.Cache))
	})
	return list
}
