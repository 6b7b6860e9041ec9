package rule

import (
	"cmp"
	"math"
	"slices"

	"spmvtune/kernels"
	"spmvtune/sparse"
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
const runnersUp = 2

// equip notes at each leaf how fast its choice was on its matrices, and what else is good
// there.
func (t *table) equip(n *Node) {
	n.eachLeaf(func(n *Node) {
		var matrices []int
		for _, name := range n.Matrices {
			m, _ := slices.BinarySearch(t.names, name)
			matrices = append(matrices, m)
			o := t.seen[m][t.at(*n.Choice)]
			if !o.measured() {
				continue
			}

			if bytes := Traffic(&t.facts[m], n.Choice.Precision); bytes > 0 {
				n.Speeds = append(n.Speeds, Speed{bytes, bytes / o.Seconds / 1e9})
			}
		}

		slices.SortFunc(n.Speeds, func(a, b Speed) int {
			return cmp.Or(cmp.Compare(a.Bytes, b.Bytes),
				cmp.Compare(a.GBPS, b.GBPS))
		})
		n.Next = t.next(matrices, *n.Choice)
	})
}

// next lists the runners-up on some matrices: of each other kernel the configuration with the
// least mean loss, the best kernels first; if there are too few kernels, it adds the next best
// configurations of all.
func (t *table) next(matrices []int, choice kernels.Config) []kernels.Config {
	sum := make([]float64, len(t.configs))
	measured := make([]bool, len(t.configs))
	for _, m := range matrices {
		for c, x := range t.loss[m] {
			sum[c] += x
			measured[c] = measured[c] || t.evidence[m][c] == Measured
		}
	}

	var order []int
	for c := range t.configs {
		if measured[c] && t.configs[c].String() != choice.String() && !math.IsInf(sum[c], 1) {
			order = append(order, c)
		}
	}

	slices.SortStableFunc(order, func(a, b int) int {
		if math.Abs(sum[a]-sum[b]) <= same {
			return 0
		}
		return cmp.Compare(sum[a], sum[b])
	})
	var list []kernels.Config

	taken := map[string]bool{choice.Kernel: true}
	named := map[int]bool{}
	for _, anyKernel := range []bool{false, true} {
		for _, c := range order {
			if len(list) == runnersUp {
				return list
			}
			if kernel := t.configs[c].Kernel; !named[c] && (anyKernel || !taken[kernel]) {
				taken[kernel], named[c] = true, true
				list = append(list, t.configs[c])
			}
		}
	}

	return list
}

// A Forecast is the expected time of a product, in seconds.
type Forecast struct {
	Seconds float64 `json:"seconds"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	// Of the matrices of the leaf, those with the most similar traffic: how many, and
	// how fast the choice was there, from the slowest to the fastest.
	Matrices int     `json:"matrices"`
	GBPS     float64 `json:"gbps"` // median
	LowGBPS  float64 `json:"low_gbps"`
	HighGBPS float64 `json:"high_gbps"`
}

// similar is from how many matrices a time is forecast, at most: with nine, one more of
// the same kind is between the slowest and the fastest of them in eight of ten cases.
const similar = 9

// Share is in which share of cases another matrix of the same kind lies between Low and
// High: those of n + 1 matrices that are neither the slowest nor the fastest.
func (f *Forecast) Share() float64 {
	return float64(f.Matrices-1) / float64(f.Matrices+1)
}

// beyond is the factor by which the traffic of a matrix may lie outside of the measured range
// for a time to be forecast: the smaller a matrix, the more of the time the launch takes.
const beyond = 4

// forecast says how long the choice of a leaf takes; nil if nothing of this size was measured.
func (n *Node) forecast(f *sparse.Features) *Forecast {
	bytes := Traffic(f, n.Choice.Precision)
	k := len(n.Speeds)
	if k == 0 || bytes < n.Speeds[0].Bytes/beyond || bytes > n.Speeds[k-1].Bytes*beyond {
		return nil
	}

	near := slices.Clone(n.Speeds)
	far := func(s Speed) float64 { return math.Abs(math.Log(s.Bytes / bytes)) }
	slices.SortStableFunc(near, func(a, b Speed) int { return cmp.Compare(far(a), far(b)) })
	near = near[:min(similar, len(near))]
	rates := make([]float64, len(near))
	for i, s := range near {
		rates[i] = s.GBPS
	}

	slices.Sort(rates)
	k = len(rates)
	c := &Forecast{Matrices: k, LowGBPS: rates[0], HighGBPS: rates[k-1], GBPS: (rates[(k-1)/2] + rates[k/2]) / 2}
	c.Seconds, c.Low, c.High = bytes/c.GBPS/1e9, bytes/c.HighGBPS/1e9, bytes/c.LowGBPS/1e9
	return c
}

// sources are the digests of the kernels that leaves name, of several the last in order.
func (s *Selector) sources(obs []*Observation) map[string]string {
	named := make(map[string]bool)
	for _, root := range []*Node{s.Root, s.Sizes} {
		root.eachLeaf(func(n *Node) {
			for _, c := range append([]kernels.Config{*n.Choice}, n.Next...) {
				named[c.Kernel] = true
			}
		})
	}

	var list map[string]string
	for _, o := range obs {
		if k := o.Config.Kernel; named[k] && o.Source > list[k] {
			if list == nil {
				list = make(map[string]string)
			}
			list[k] = o.Source
		}
	}

	return list
}
