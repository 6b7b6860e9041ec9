//go:build cuda

package cuda

import (
	"fmt"

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
		return b.values(commonKey{name, v}, v, a.Val)
	case vecX:
		return b.values(commonKey{name, v}, v, b.problem.X)
	case vecY:
		return b.arrays.get(commonKey{name, v}, int64(v)*int64(a.Rows), writes, func(cu.DevicePtr) error { return nil })
	}

	return nil, fmt.Errorf("no problem has an array %q", name)
}

func (b *Backend) ints(key any, s []int32) (*array, error) {
	return b.arrays.get(key, 4*int64(len(s)), reads, func(p cu.DevicePtr) error { return upload(b.stream, p, s) })
}

// values returns the array of values of v bytes.
func (b *Backend) values(key any, v int, s []float64) (*array, error) {
	return b.arrays.get(key, int64(v)*int64(len(s)), reads, func(p cu.DevicePtr) error { return b.put(p, v, s) })
}

// put copies values to the device, v bytes for each.
func (b *Backend) put(p cu.DevicePtr, v int, s []float64) error {
	if v == 4 {
		return upload(b.stream, p, convert[float32](s))
	}
	return upload(b.stream, p, s)
}

// convert returns values as V, on all cores.
func convert[V sparse.Float](from []float64) []V {
	s := make([]V, len(from))
	eachShare(len(s), shares(len(s)), func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			s[k] = V(from[k])
		}
	})
	return s
}
