package cuda

import "spmvtune/kernels"

// adaptiveRecipe packs row blocks of at most tile nonzeros, whose products a block
// keeps in shared memory.
func adaptiveRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	const firstRow = "row_blocks"
	tile := settingInt(c, "tile")
	blocks := rowRuns(m, tile)
	entry := c.Kernel + "_" + setting(c, "long_row")
	r := oneStep(csrStep(m, c, entry, tile*v, ptr(firstRow), num(len(blocks)-1)))
	r.Aux = []aux{{Name: firstRow, Ints: blocks}}
	return r, nil
}

// rowRuns is packRows of m, packed once.
func rowRuns(m *structure, most int) []int32 {
	type key struct{ most int }
	return pack(m, key{most}, func() ([]int32, int64) {
		runs := packRows(m.RowPtr, most)
		return runs, 4 * int64(len(runs))
	})
}

// packRows cuts the rows into runs of at most most nonzeros; a longer row has a run to itself.
// It returns the first row of every run and, last, the number of rows. A run also has at most
// `most` rows, so that empty rows are distributed like others.
func packRows(rowPtr []int32, most int) []int32 {
	first := []int32{0}
	start := 0
	for i := range len(rowPtr) - 1 {
		// Row i does not fit any more.
		if i > start && (int(rowPtr[i+1])-int(rowPtr[start]) > most || i-start == most) {
			first = append(first, int32(i))
			start = i
		}
	}

	if n := len(rowPtr) - 1; n > 0 {
		first = append(first, int32(n))
	}
	return first
}
