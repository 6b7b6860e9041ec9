// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"cmp"
	"math"
	"slices"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/kernels/cuda"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/tuner/search"
	"example.org/spmvtune/tuner/stat"
)

// A Speed is how fast the choice of a leaf was on one of its matrices.
type Speed struct {
	Bytes float64 `json:"bytes"` // see Traffic
	GBPS  float64 `json:"gbps"`  // Bytes / median time, 10⁹ bytes a second
}

// Traffic is the least number of bytes that a product with a matrix in CSR must move: values
// and columns of the entries, row offsets, y, and x, or only the elements of x that occur, if
// they are known. It is a measure of a matrix's size, whatever format the kernel has.
func Traffic(f *sparse.Features, p kernels.Precision) float64 {
	used := f.ColsUsed
	if used == sparse.Unknown {
		used = f.Cols
	}
	value := float64(p.Bytes())
	return float64(f.Nonzeros)*(value+4) + float64(f.Rows+1)*4 + float64(f.Rows+used)*value
}

// runnersUp is how many configurations a leaf names besides its choice.
const runnersUp = 4

// next lists the runners-up on some matrices: one after the other the configuration with which
// the mean loss of the fastest of those named sinks most. Of nearly equal ones it is one of a
// kernel that is not named yet, then that with the least mean loss of its own. One of those named is
// legal on any matrix.
func (l *learner) next(matrices []int, choice int) []int {
	var list []int
	kernel, named := make([]bool, len(l.kernels)), make([]bool, len(l.configs))
	least := slices.Repeat([]float64{math.Inf(1)}, len(matrices)) // loss of the best of those named

	for c := choice; c >= 0 && len(list) < runnersUp; c = l.helps(matrices, least, kernel, named) {
		if named[choice] {
			list = append(list, c)
		}
		kernel[l.kernel[c]], named[c] = true, true
		for i, m := range matrices {
			if l.fits[m][c] {
				least[i] = min(least[i], l.loss[m][c])
			}
		}
	}

	sure := func(c int) bool { return !l.limited[c] }
	if l.sure >= 0 && !sure(choice) && !slices.ContainsFunc(list, sure) {
		list = append(list[:min(len(list), runnersUp-1)], l.sure)
	}
	return list
}

// helps finds the next runner-up; -1: there is none.
func (l *learner) helps(matrices []int, least []float64, kernel, named []bool) int {
	with, alone := make([]float64, len(l.configs)), make([]float64, len(l.configs))
	lowest := math.Inf(1)
	for c := range l.configs {
		with[c] = math.Inf(1)
		measured := func(m int) bool { return l.fits[m][c] && l.evidence[m][c] == Measured }
		if named[c] || l.start[c] > 0 || !slices.ContainsFunc(matrices, measured) {
			continue
		}
		with[c] = 0
		for i, m := range matrices {
			with[c] += min(least[i], l.charged(m, c))
			alone[c] += l.charged(m, c)
		}
		lowest = min(lowest, with[c])
	}

	best := -1
	for c := range l.configs {
		if math.IsInf(with[c], 1) || with[c] > lowest+slack*float64(len(matrices))+same {
			continue
		}
		if other := kernel[l.kernel[c]]; best < 0 || !other && kernel[l.kernel[best]] ||
			other == kernel[l.kernel[best]] && alone[c] < alone[best]-same {
			best = c
		}
	}
	return best
}

// slower is the time of a configuration over that of another, the geometric mean over the
// matrices on which both were measured; 0: there is none.
func (t *table) slower(matrices []int, c, than int) float64 {
	var mean stat.GeometricMean
	n := 0
	for _, m := range matrices {
		if a, b := t.seen[m][c], t.seen[m][than]; a.measured() && b.measured() {
			mean.Add(a.Seconds / b.Seconds)
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return mean.Value()
}

// A Forecast is the expected time of a product, in seconds.
type Forecast struct {
	Seconds float64 `json:"seconds"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	// Of the matrices of the leaf, those with the most similar traffic: how many, 0 where the ensemble expects the time, and
	// how fast the choice was there, from the slowest to the fastest.
	Matrices int     `json:"matrices"`
	GBPS     float64 `json:"gbps"` // median
	LowGBPS  float64 `json:"low_gbps"`
	HighGBPS float64 `json:"high_gbps"`
}

// similar is from how many matrices a time is forecast, at most: with nine, one more of
// the same kind is between the slowest and the fastest of them in eight of ten cases.
const similar = 9

// slower is the forecast of what takes so many times as long; nil if that is not known.
func (f *Forecast) slower(times float64) *Forecast {
	if f == nil || times == 0 {
		return nil
	}
	s := *f
	s.Seconds, s.Low, s.High = times*f.Seconds, times*f.Low, times*f.High
	s.GBPS, s.LowGBPS, s.HighGBPS = f.GBPS/times, f.LowGBPS/times, f.HighGBPS/times
	return &s
}

// Share is in which share of cases another matrix of the same kind lies between Low and
// High: those of n + 1 matrices that are neither the slowest nor the fastest, or by the spread of expected times.
func (f *Forecast) Share() float64 {
	if f.Matrices == 0 {
		return nominal
	}
	return float64(f.Matrices-1) / float64(f.Matrices+1)
}

// nominal is the share of nine matrices, for which intervals of expected times are made, too.
const nominal = 0.8

// beyond is the factor by which the traffic of a matrix may lie outside of the measured range
// for a time to be forecast: the smaller a matrix, the more of the time the launch takes.
const beyond = 4

// forecast says how long the choice of a leaf takes; nil if nothing of this size was measured.
func (n *Node) forecast(f *Subject) *Forecast {
	bytes := Traffic(f.Features, n.Choice.Precision)
	k := len(n.Speeds)
	if k == 0 || bytes < n.Speeds[0].Bytes/beyond || bytes > n.Speeds[k-1].Bytes*beyond {
		return nil
	}

	near := slices.Clone(n.Speeds)
	far := func(s Speed) float64 { return math.Abs(math.Log(s.Bytes / bytes)) }
	slices.SortStableFunc(near, func(a, b Speed) int { return cmp.Compare(far(a), far(b)) })
	near = near[:min(similar, len(near))]
	rates := lists.Of(near, func(s Speed) float64 { return s.GBPS })
	slices.Sort(rates)
	k = len(rates)
	c := &Forecast{Matrices: k, LowGBPS: rates[0], HighGBPS: rates[k-1], GBPS: (rates[(k-1)/2] + rates[k/2]) / 2}
	c.Seconds, c.Low, c.High = bytes/c.GBPS/1e9, bytes/c.HighGBPS/1e9, bytes/c.LowGBPS/1e9
	return c
}

// sources are the digests of the kernels that leaves and the ensemble name, of several the last in order.
func (s *Model) sources(obs []*Observation) map[string]string {
	named := lists.Distinct(s.Named(), func(c kernels.Config) string { return c.Kernel })
	list := map[string]string{}
	for _, o := range obs {
		if k := o.Config.Kernel; o.Source > list[k] && slices.Contains(named, k) {
			list[k] = o.Source
		}
	}

	return list
}

// Shortlisted is how many configurations of a shortlist are measured unless told.
const Shortlisted = search.Shortlisted

// A Ranked is a configuration of a shortlist.
type Ranked struct {
	kernels.Config
	// Seconds is the time that a product is expected to take; 0: not known.
	Seconds float64 `json:"seconds,omitempty"`
}

// picks are a leaf's choice and its runners-up, if they are legal on a matrix. If none is it is the choice all the
// same.
func (n *Node) picks(f *Subject) []kernels.Config {
	if list := lists.Where(n.all(), f.legal); list != nil {
		return list
	}
	return []kernels.Config{*n.Choice}
}

// times is the time of one of a leaf's picks over that of its choice; 0: not known.
func (n *Node) times(c kernels.Config) float64 {
	if c == *n.Choice {
		return 1
	}
	if i := slices.Index(n.Next, c); i < len(n.NextTimes) {
		return n.NextTimes[i]
	}
	return 0
}

// Limits are what a matrix must be within for a configuration to be chosen for it. They are those of its
// kernel in this program; nothing is within those of a configuration that its kernel does not have.
func Limits(c kernels.Config) []kernels.Limit {
	k, ok := kernels.Lookup(c.Kernel)
	if !ok || k.Backend != "cuda" {
		return nil
	}
	if k.Check(c) != nil {
		return []kernels.Limit{{}}
	}
	return cuda.Limits(c)
}

// legal reports whether a matrix is known to be within the limits of a configuration.
func (f *Subject) legal(c kernels.Config) bool {
	return !slices.ContainsFunc(Limits(c), func(l kernels.Limit) bool { return !l.Holds(f.value) })
}

// takes reports whether a configuration is legal on a matrix, by its features or as Takes says.
func (f *Subject) takes(c kernels.Config) bool { return f.legal(c) || f.Takes != nil && f.Takes(c) }

// value is a feature by its name, NaN if it is not known.
func (f *Subject) value(name string) float64 {
	if i, ok := places[name]; ok {
		return features[i].Value(f)
	}
	return math.NaN()
}

// Ranking is the choice of a leaf and its runners-up, of which the first that is legal is chosen: one
// that is legal on any matrix ends it. If none is legal the choice is.
func (n *Node) Ranking() []kernels.Config {
	list := n.all()
	if sure := slices.IndexFunc(list, unlimited); sure >= 0 {
		return list[:sure+1]
	}
	return list
}

// unlimited reports whether a configuration is legal on any matrix.
func unlimited(c kernels.Config) bool { return len(Limits(c)) == 0 }

// all are the choice of a leaf and its runners-up.
func (n *Node) all() []kernels.Config { return append([]kernels.Config{*n.Choice}, n.Next...) }
