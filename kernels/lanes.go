package kernels

// block says that all threads of a block sum a row.
const block = -1

// rowLanes says of kernels for a GPU how many threads sum one row, however long it is: a long
// row holds up the others. Kernels that are not here share out long rows, or go by nonzeros.
var rowLanes = map[string]int{
	"csr_scalar":                 1,
	"csr_pcsr":                   1,
	"csr_thread_row":             1,
	"csr_thread_row_v1":          1,
	"sell_blocks":                1,
	"sell_c_sigma":               1,
	"sell_diagonals":             1,
	"csr_scalar_ahead":           1,
	"csr_thread_row_ahead":       1,
	"csr_vector":                 32,
	"csr_warp_row":               32,
	"csr_warp_row_v1":            32,
	"csr_warp_row_global":        32,
	"csr_warp_row_shuffle":       32,
	"csr_warp_row_tile":          32,
	"csr_block_tile":             32,
	"csr_bins":                   32,
	"csr_vector_ahead":           32,
	"csr_warp_row_ahead":         32,
	"csr_warp_row_shuffle_ahead": 32,
	"csr_bins_ahead":             32,
	"csr_hybrid_v1":              32,
	"csr_light":                  32,
	"csr_light_warp":             32,
	"csr_hybrid":                 block,
	"csr_adaptive":               block,
}

// RowLanes returns how many threads of a GPU sum one row, however long it is; 0 if long rows
// are shared out, or nothing is known.
func RowLanes(c Config) int {
	if by, _ := c.Params.Get("long_row"); by == "warp" {
		return 32
	}
	n := rowLanes[c.Kernel]
	if n == block {
		return c.Block
	}
	return c.Params.Int("width", n)
}
