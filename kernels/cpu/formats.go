package cpu

import (
	"slices"
	"time"

	"spmvtune/kernels"
	"spmvtune/sparse/reorder"
)

// A formatKey names a form of the current matrix.
type formatKey struct {
	format    kernels.Format    // "" for the matrix in another order
	precision kernels.Precision // "" where the form holds no values
	order     reorder.Method    // of the rows; "" for that of the problem
	c, sigma  int               // of SELL
}

// formats keeps forms of the current matrix. Each is built once; its cost is kept with it. The
// one used longest ago is dropped when they outgrow limit.
type formats struct {
	limit, bytes int64
	kept         []*format // least recently used first
}

type format struct {
	key   formatKey
	value any
	bytes int64
	cost  time.Duration
}

// build returns the form named key, made by construct unless it is kept, and the
// time that making it took. construct returns the form and its size in bytes.
func build[T any](f *formats, key formatKey, construct func() (T, int64, error)) (T, time.Duration, error) {
	i := slices.IndexFunc(f.kept, func(e *format) bool { return e.key == key })
	if i >= 0 {
		e := f.kept[i]
		f.kept = append(slices.Delete(f.kept, i, i+1), e)
		return e.value.(T), e.cost, nil
	}

	start := time.Now()
	value, bytes, err := construct()
	if err != nil {
		return value, 0, err
	}

	e := &format{key: key, value: value, bytes: bytes, cost: time.Since(start)}
	f.kept = append(f.kept, e)
	f.bytes += bytes
	for f.bytes > f.limit && len(f.kept) > 1 {
		f.bytes -= f.kept[0].bytes
		f.kept = slices.Delete(f.kept, 0, 1)
	}

	return value, e.cost, nil
}
