// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/stat"
)

// A table is the losses of all configurations on all matrices of one key. A row depends only on
// the observations of its own matrix, so that a row left out leaves no trace in the others.
//
// The loss of a configuration that was
//
//   - measured is log(its time / the oracle's), at least 0: also where samples can't tell the two apart, since
//     a tie says that nothing is known, not that both are fast;
//   - not tried is that of the nearest configuration of the same kernel that was
//     tried, plus log(1 + estimate); of several equally near the worst;
//   - not tried, nor anything of its kernel, is that of the slowest measurement on
//     the matrix, and at least log(untried);
//   - tried without a verified time is that of the slowest measurement, and at
//     least log(failure).
//
// Note: the alternative is to let a leaf choose only from the configurations that
// were measured on all of its matrices. After a random search that set is soon
// empty, and charging a guess more than a measurement already prefers the latter.
type table struct {
	names    []string // matrices, sorted
	classes  []string
	facts    []Subject
	values   [][]float64 // values by feature, then matrix
	order    [][]int     // per feature, the matrices by rising value
	unknown  []string    // features that some matrix does not have
	missing  []bool      // the same by feature, those of the device too
	configs  []kernels.Config
	column   map[kernels.Config]int
	kernels  []string         // names, sorted
	kernel   []int            // the kernel of each configuration
	seen     [][]*Observation // observations by matrix, then configuration; nil: not tried
	loss     [][]float64      // losses by matrix, then configuration
	tuned    [][]float64      // losses by matrix, then kernel, when it is tuned for the matrix
	evidence [][]Evidence
	limited  []bool   // whether a configuration is legal on some matrices only
	fits     [][]bool // whether features tell that it is, by matrix, then configuration
	takes    [][]bool // whether it is, as its trials say
}

// What is charged where nothing was measured. It makes measurements win over guesses.
const (
	estimate = 0.05 // more than the kernel's nearest configuration that was tried, as a fraction of its time
	untried  = 2    // times the oracle's time at least, where nothing of the kernel was tried
	failure  = 10   // the same, where what was tried gave no verified time
)

// newTable fills a table from the observations of one key. Matrices without a
// measurement have no oracle and are left out; their names are returned.
func newTable(obs []*Observation) (*table, []string, error) {
	facts := make(map[string]*Observation)
	configs := make(map[kernels.Config]kernels.Config)
	for _, o := range obs {
		if err := o.check(); err != nil {
			return nil, nil, err
		}
		if f := facts[o.Matrix]; f == nil {
			facts[o.Matrix] = o
		} else if f.Class != o.Class || f.Features != o.Features && !f.Features.Equal(*o.Features) {
			return nil, nil, fmt.Errorf("two different matrices are named %q", o.Matrix)
		}

		if id := idOf(o.Config); configs[id].Kernel == "" {
			configs[id] = o.Config
		}
	}

	t := &table{configs: sortedConfigs(configs)}
	t.index()
	seen := make(map[string][]*Observation) // by matrix, then configuration
	for _, o := range obs {
		row := seen[o.Matrix]
		if row == nil {
			row = make([]*Observation, len(t.configs))
			seen[o.Matrix] = row
		}

		row[t.at(o.Config)] = o
	}

	var unmeasured []string
	for name, row := range seen {
		if slices.ContainsFunc(row, (*Observation).measured) {
			t.names = append(t.names, name)
		} else {
			unmeasured = append(unmeasured, name)
		}
	}

	slices.Sort(t.names)
	slices.Sort(unmeasured)
	for _, name := range t.names {
		loss, evidence := t.charge(seen[name])
		t.seen = append(t.seen, seen[name])
		t.loss = append(t.loss, loss)
		tuned := slices.Repeat([]float64{math.Inf(1)}, len(t.kernels))
		for c, x := range loss {
			tuned[t.kernel[c]] = min(tuned[t.kernel[c]], x)
		}
		t.tuned = append(t.tuned, tuned)
		t.evidence = append(t.evidence, evidence)
		t.classes = append(t.classes, facts[name].Class)
		t.facts = append(t.facts, facts[name].subject())
		subject := &t.facts[len(t.facts)-1]
		subject.Takes = func(c kernels.Config) bool {
			at, ok := t.place(c)
			return ok && seen[name][at].measured()
		}
		t.fits = append(t.fits, t.fit(subject.legal))
		t.takes = append(t.takes, t.fit(subject.takes))
	}

	return t, unmeasured, t.measure()
}

// index numbers the configurations and their kernels.
func (t *table) index() {
	t.column = make(map[kernels.Config]int, len(t.configs))
	for i, c := range t.configs { // sorted by kernel
		t.column[idOf(c)] = i
		if n := len(t.kernels); n == 0 || t.kernels[n-1] != c.Kernel {
			t.kernels = append(t.kernels, c.Kernel)
		}
		t.kernel = append(t.kernel, len(t.kernels)-1)
		t.limited = append(t.limited, !unlimited(c))
	}
}

// fit says which configurations are legal on a matrix.
func (t *table) fit(legal func(kernels.Config) bool) []bool {
	fits := make([]bool, len(t.configs))
	for i, c := range t.configs {
		fits[i] = !t.limited[i] || legal(c)
	}
	return fits
}

// at is the number of a configuration.
func (t *table) at(c kernels.Config) int { return t.column[idOf(c)] }

// measure computes the features and the orders that they give. A feature that is
// not known of all matrices is the same for all of them, so that nothing is split
// on it.
func (t *table) measure() error {
	for i, f := range features {
		v := make([]float64, len(t.names))
		order := make([]int, len(t.names))
		unknown := false
		for m := range v {
			v[m], order[m] = f.Value(&t.facts[m]), m
			unknown = unknown || math.IsNaN(v[m])
			if math.IsInf(v[m], 0) {
				return fmt.Errorf("matrix %q: feature %s is %v", t.names[m], f.Name, v[m])
			}
		}

		if unknown {
			clear(v)
			if i < relative || i >= absolute && i != inMemory { // else the device is in question
				t.unknown = append(t.unknown, f.Name)
			}
		}
		t.missing = append(t.missing, unknown)
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(v[a], v[b]) })
		t.values = append(t.values, v)
		t.order = append(t.order, order)
	}

	return nil
}

// charge computes the losses on one matrix; row has nil for configurations that were not tried.
func (t *table) charge(row []*Observation) ([]float64, []Evidence) {
	var oracle *Observation
	slowest := 0.0
	for _, o := range row {
		if o == nil || o.Failed {
			continue
		}

		// A search's first look, of a sample or two, may be the fastest by luck: where
		// ties are settled the oracle is one of them.
		if oracle == nil || o.Tied && !oracle.Tied || o.Tied == oracle.Tied && o.Seconds < oracle.Seconds {
			oracle = o
		}
		slowest = max(slowest, o.Seconds)
	}

	slowest = math.Log(slowest / oracle.Seconds)
	loss, evidence := make([]float64, len(row)), make([]Evidence, len(row))
	for c, o := range row {
		switch {
		case o == nil: // below, when the tried ones are known
		case o.Failed:
			loss[c], evidence[c] = max(slowest, math.Log(failure)), Failed
		default:
			loss[c], evidence[c] = max(0, math.Log(o.Seconds/oracle.Seconds)), Measured
		}
	}

	for c, o := range row {
		if o != nil {
			continue
		}
		loss[c], evidence[c] = max(slowest, math.Log(untried)), Absent
		if near := nearest(t.configs[c], t.configs, func(d int) bool { return row[d] != nil }); near != nil {
			worst := slices.Max(lists.Of(near, func(d int) float64 { return loss[d] }))
			loss[c], evidence[c] = worst+math.Log1p(estimate), Near
		}
	}

	return loss, evidence
}

// nearest lists those of some configurations, by their places, that are of c's kernel and precision and the most
// similar to it. use says which count; nil: all do.
func nearest(c kernels.Config, among []kernels.Config, use func(i int) bool) (list []int) {
	least := math.Inf(1)
	for i := range among {
		other := &among[i]
		if other.Kernel != c.Kernel || other.Precision != c.Precision || use != nil && !use(i) {
			continue
		}
		if d := distance(c, *other); d <= least {
			if d < least {
				least, list = d, nil
			}
			list = append(list, i)
		}
	}
	return list
}

// neighbours returns for each configuration with use[c] the configurations one step away from
// it, up or down, in block or in grid. A step leads to the next value among the configurations
// in use. They say how robust a choice is: a good configuration among bad ones is likely to be
// luck.
func neighbours(configs []kernels.Config, use []bool) [][]int {
	adjacent := make([][]int, len(configs))
	used := lists.Where(lists.Indices(len(configs)), func(c int) bool { return use[c] })
	for i, j := range stat.Beside(lists.Of(used, func(c int) kernels.Config { return configs[c] })) {
		lower, upper := used[i], used[j]
		adjacent[upper] = append(adjacent[upper], lower)
		adjacent[lower] = append(adjacent[lower], upper)
	}
	return adjacent
}

// distance between two configurations of a kernel: doublings of the block, plus
// doublings of the grid, plus one for each parameter that differs.
func distance(a, b kernels.Config) float64 {
	d := stat.Doublings(a.Block, b.Block) + stat.Doublings(a.Grid, b.Grid)

	for name, v := range a.Params.All() {
		if other, _ := b.Params.Get(name); other != v {
			d++
		}
	}

	for name := range b.Params.All() {
		if _, ok := a.Params.Get(name); !ok {
			d++
		}
	}
	return d
}

func sortedConfigs(byID map[kernels.Config]kernels.Config) []kernels.Config {
	return slices.SortedFunc(maps.Values(byID), func(a, b kernels.Config) int {
		return cmp.Or(cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Block, b.Block),
			cmp.Compare(a.Grid, b.Grid), cmp.Compare(a.Params.String(), b.Params.String()))
	})
}

// idOf identifies a configuration within a precision.
func idOf(c kernels.Config) kernels.Config {
	c.Precision = ""
	return c
}

// Nearest returns the configuration of c's kernel and precision that is most similar to c, and
// false if there is none.
func Nearest(c kernels.Config, among []kernels.Config) (kernels.Config, bool) {
	if near := nearest(c, among, nil); near != nil {
		return among[near[0]], true
	}
	return kernels.Config{}, false
}

// noisy is how many times as slow as the fastest a configuration that can't be told from it must be for a rule to say so.
const noisy = 1.5

// quickest is the observation of a matrix with the least time.
func (t *table) quickest(m int) *Observation {
	measured := lists.Where(t.seen[m], (*Observation).measured)
	return slices.MinFunc(measured, func(a, b *Observation) int { return cmp.Compare(a.Seconds, b.Seconds) })
}

// noise says on how many matrices the data can't tell the fastest from much slower configurations, nothing if it can
// everywhere.
func (t *table) noise() string {
	matrices, widest := 0, 0.0
	for m, row := range t.seen {
		fastest := t.quickest(m)
		slowest := fastest.Seconds
		for _, o := range row {
			if o.measured() && (o.Tied || 0 < o.Low && o.Low <= fastest.High) {
				slowest = max(slowest, o.Seconds)
			}
		}
		if slowest > noisy*fastest.Seconds {
			matrices, widest = matrices+1, max(widest, slowest/fastest.Seconds)
		}
	}
	if matrices == 0 {
		return ""
	}
	return fmt.Sprintf("On %d of %s the fastest can't be told from configurations that were measured up to %s times as "+
		"slow: measure on a quieter machine.", matrices, term.Matrices(len(t.names)), term.Digits(widest))
}
