package cuda

import "spmvtune/kernels"

// The arrays of csr_stream.cu beyond those every problem has.
const (
	streamMarks   = "stream_marks"
	streamBegin   = "stream_begin"
	streamStarted = "stream_started"
	streamRow     = "stream_rows"
	streamEmpty   = "stream_empty"
)

// streamDoubleBlock is the most threads of a block in float64, where two turns of a thread
// take more registers than a block of 1024 leaves.
const streamDoubleBlock = 768

// streamRecipe leaves the matrix as it is, and cuts its rows into a part for each block.
func streamRecipe(m *structure, c kernels.Config, _ int) (*recipe, error) {
	if c.Precision == kernels.Float64 && c.Block > streamDoubleBlock {
		return nil, invalid("block is %d; in float64 it must be at most %d, which the registers of a thread allow", c.Block,
			streamDoubleBlock)
	}
	type rowsKey struct{}
	type key struct{ grid, block int }
	s := pack(m, rowsKey{}, func() (*rowStarts, int64) { s := newRowStarts(m.RowPtr); return s, s.bytes() })
	r := pack(m, key{c.Grid, c.Block}, func() (*ranges, int64) {
		r := cutStream(s.start, c.Grid, c.Block/warp)
		return r, r.bytes()
	})

	main := step{Entry: c.Kernel, Grid: c.Grid, Block: c.Block,
		Args: []arg{ptr(colIdx), ptr(val), ptr(streamMarks), num(m.NNZ()), ptr(streamBegin), ptr(streamStarted),
			num(r.parts), ptr(streamRow), ptr(streamEmpty), num(len(s.empty)), ptr(vecX), ptr(vecY)}}
	return &recipe{
		Aux: []aux{
			{Name: streamMarks, Ints: s.marks}, {Name: streamBegin, Ints: r.begin}, {Name: streamStarted, Ints: r.started},
			{Name: streamRow, Ints: s.row}, {Name: streamEmpty, Ints: s.empty},
		},
		Steps: []step{main},
	}, nil
}
