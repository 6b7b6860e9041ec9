package sparse

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// Analyze computes the features of m in one parallel pass over row offsets and
// columns; it does not read the values. Everything is summed in integers, so the
// result is the same on any number of cores. Means and deviations over nothing
// are 0.
func Analyze[V Float](m *CSR[V]) Features {
	var (
		mu   sync.Mutex
		rows lengths
		dist distances
		used = make([]uint32, (m.Cols+31)/32) // a bit per column
	)
	eachPart(m.Rows+m.NNZ(), func(part, parts int) {
		// Rows and entries are shared out separately, so that one giant row is
		// everybody's work.
		var l lengths
		lo, hi := share(m.Rows, part, parts)
		for i := lo; i < hi; i++ {
			l.add(m.RowPtr[i+1] - m.RowPtr[i])
		}
		var d distances
		lo, hi = share(m.NNZ(), part, parts)
		d.addEntries(m.RowPtr, m.ColIdx, lo, hi)
		mark(used, m.ColIdx[lo:hi])

		mu.Lock()
		defer mu.Unlock()
		rows.unite(&l)
		dist.unite(d)
	})

	f := Features{
		Rows: m.Rows, Cols: m.Cols, Nonzeros: m.NNZ(),
		RowMin: rows.min, RowMax: rows.max,
		EmptyRows: rows.short[0],
		Bandwidth: dist.max,
	}
	f.RowMean, f.RowStd = rows.moments()
	q := rows.quantiles(25, 50, 75, 90, 99)
	f.RowP25, f.RowMedian, f.RowP75, f.RowP90, f.RowP99 = q[0], q[1], q[2], q[3], q[4]
	for _, word := range used {
		f.ColsUsed += bits.OnesCount32(word)
	}
	if m.NNZ() > 0 {
		f.BandwidthMean = float64(dist.sum) / float64(m.NNZ())
	}
	return f
}

// distances of entries from the diagonal, |i−j|.
type distances struct {
	max int
	sum uint64 // below 2⁶²
}

// addEntries adds entries [lo, hi) of a matrix, in whatever rows they lie.
func (d *distances) addEntries(rowPtr, colIdx []int32, lo, hi int) {
	if lo >= hi {
		return
	}
	i := rowOf(rowPtr, lo)
	for k := lo; k < hi; i++ {
		end := min(int(rowPtr[i+1]), hi)
		for _, j := range colIdx[k:end] {
			n := int(j) - i
			if n < 0 {
				n = -n
			}
			d.max = max(d.max, n)
			d.sum += uint64(n)
		}
		k = end
	}
}

func (d *distances) unite(o distances) {
	d.max = max(d.max, o.max)
	d.sum += o.sum
}

// mark sets the bit of every column in cols. Several goroutines mark the same
// bits; most find them set already, which costs them no more than a load.
func mark(used []uint32, cols []int32) {
	for _, j := range cols {
		word, bit := &used[j>>5], uint32(1)<<(j&31)
		if atomic.LoadUint32(word)&bit == 0 {
			atomic.OrUint32(word, bit)
		}
	}
}
