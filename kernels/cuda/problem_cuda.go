//go:build cuda

package cuda

import (
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"
	"gorgonia.org/cu"

	"spmvtune/sparse"
)

// The name of a common array says which array it is and, if it holds values, their size.
type commonKey struct {
	name string
	v    int
}

// common returns one of the arrays that every problem has, on the device. v is
// the size of a value in bytes.
func (b *Backend) common(name string, v int) (*array, error) {
	a := b.problem.A
	switch name {
	case rowPtr:
		return b.ints(commonKey{name, 4}, a.RowPtr)
	case colIdx:
		return b.ints(commonKey{name, 4}, a.ColIdx)
	case rowIdx:
		return b.arrays.get(commonKey{name, 4}, 4*int64(a.NNZ()), reads, func(p cu.DevicePtr) error {
			return upload(b.stream, p, rowIndices(a))
		})

	case val:
		return b.values(commonKey{name, v}, v, len(a.Val), func(k int) float64 { return a.Val[k] })
	case vecX:
		return b.values(commonKey{name, v}, v, len(b.problem.X), func(k int) float64 { return b.problem.X[k] })
	case vecY:
		return b.arrays.get(commonKey{name, v}, int64(v)*int64(a.Rows), writes, func(cu.DevicePtr) error { return nil })
	}

	return nil, fmt.Errorf("no problem has an array %q", name)
}

func (b *Backend) ints(key any, s []int32) (*array, error) {
	return b.arrays.get(key, 4*int64(len(s)), reads, func(p cu.DevicePtr) error { return upload(b.stream, p, s) })
}

// values returns the array of n values of v bytes, element k being from(k).
func (b *Backend) values(key any, v, n int, from func(k int) float64) (*array, error) {
	return b.arrays.get(key, int64(v)*int64(n), reads, func(p cu.DevicePtr) error { return b.put(p, v, n, from) })
}

// put copies n values of v bytes to the device, element k being from(k).
func (b *Backend) put(p cu.DevicePtr, v, n int, from func(k int) float64) error {
	if v == 4 {
		return upload(b.stream, p, collect[float32](n, from))
	}
	return upload(b.stream, p, collect[float64](n, from))
}

// collect returns from(0), …, from(n−1) as V, asked for on all cores.
func collect[V sparse.Float](n int, from func(k int) float64) []V {
	s := make([]V, n)
	var g errgroup.Group
	parts := runtime.GOMAXPROCS(0)
	for w := range parts {
		lo, hi := n*w/parts, n*(w+1)/parts
		g.Go(func() error {
			for k := lo; k < hi; k++ {
				s[k] = V(from(k))
			}
			return nil
		})
	}

	g.Wait()
	return s
}
