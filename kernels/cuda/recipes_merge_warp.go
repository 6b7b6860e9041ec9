package cuda

import (
	"math"
	"runtime"
	"sort"
	"sync"

	"spmvtune/kernels"
)

// mergeWarpItems is ITEMS of csr_merge_warp.cu: nonzeros per lane and tile.
const mergeWarpItems = 8

// mergeWarpRecipe gives every warp of the grid an equal share of the steps of the merge. Blocks give parts
// of the rows that they cut through global memory. Its counters begin as scratch does, at −1, and every
// product leaves them so.
func mergeWarpRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	const (
		borders  = "merge_warp_borders"
		counters = "merge_warp_counters"
		parts    = "merge_warp_parts"
	)
	shares := c.Grid * (c.Block / warp)
	steps := max(1, ceilDiv(m.Rows+m.NNZ(), shares))
	if steps > math.MaxInt32 {
		return nil, invalid("%d warps have shares of %d steps; %d are possible", shares, steps, math.MaxInt32)
	}

	r := oneStep(csrStep(m, c, c.Kernel+"_"+setting(c, "lane_rows"), c.Block*mergeWarpItems*v,
		num(m.NNZ()), ptr(borders), ptr(counters), ptr(parts), num(steps)))
	r.Aux = []aux{
		{Name: borders, Ints: mergeBorders(m, shares, steps)},
		{Name: counters, Bytes: 4 * c.Grid},
		{Name: parts, Values: 2 * c.Grid},
	}
	return r, nil
}

// mergeBorders gives the row of steps 0, steps, 2·steps, … of the merge of the ends of rows and the
// nonzeros: how many rows have ended before.
func mergeBorders(m *structure, shares, steps int) []int32 {
	type key struct{ shares, steps int }
	return pack(m, key{shares, steps}, func() ([]int32, int64) {
		borders := make([]int32, shares+1)
		eachPart(len(borders), 4096, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				borders[i] = int32(sort.Search(m.Rows, func(r int) bool { return int(m.RowPtr[r+1])+r >= i*steps }))
			}
		})
		return borders, 4 * int64(len(borders))
	})
}

// eachPart calls f for parts of [0, n), of at least `least`, on all cores, and waits for all of them.
func eachPart(n, least int, f func(lo, hi int)) {
	parts := max(1, min(runtime.GOMAXPROCS(0), n/least))
	var wg sync.WaitGroup
	for part := range parts {
		wg.Go(func() { f(n*part/parts, n*(part+1)/parts) })
	}
	wg.Wait()
}
