package cuda

import "spmvtune/kernels"

// A recipeFunc makes the recipe of a legal configuration (kernels.Kernel.Check) of its
// kernel. v is the size of a value in bytes. A *kernels.InvalidError says why the
// configuration can't run on this matrix.
type recipeFunc func(m *structure, c kernels.Config, v int) (*recipe, error)

// recipes has the recipe function of every kernel in ptx/. All else is found from these
// rows: the PTX by the names of its entries (see source.go), and a kernel's source digest
// by what its row uses.
var recipes = map[string]recipeFunc{
	// coo_simple.cu: the kernels add to y.
	"coo_atomic":       cooAtomicRecipe,
	"coo_thread_chunk": cooChunkRecipe,
	"coo_grid_stride":  cooChunkRecipe,
	"coo_warp_chunk":   cooChunkRecipe,
	"coo_block_chunk":  cooChunkRecipe,

	// coo_scan_*.cu and coo_blelloch.cu: the kernels add to y.
	"coo_scan_shared":               scanSharedRecipe,
	"coo_segscan_shared":            scanSharedRecipe,
	"coo_blelloch":                  blellochRecipe,
	"coo_blelloch_padded":           blellochRecipe,
	"coo_scan_warp":                 scanWarpRecipe,
	"coo_segscan_warp":              scanWarpRecipe,
	"coo_scan_block":                scanBlockRecipe,
	"coo_segscan_block":             scanBlockRecipe,
	"coo_scan_warp_chunk":           scanChunkRecipe,
	"coo_segscan_warp_chunk":        scanChunkRecipe,
	"coo_segscan_warp_chunk_unroll": scanUnrollRecipe,

	// csr_*.cu: all kernels but csr_bins_v1 write every row.
	"csr_scalar":                 rowsRecipe(nothing),
	"csr_scalar_ahead":           rowsRecipe(nothing),
	"csr_vector":                 rowsRecipe(valuePerThread),
	"csr_vector_ahead":           rowsRecipe(valuePerThread),
	"csr_warp_row_global":        rowsGlobalRecipe,
	"csr_warp_row_shuffle":       rowsRecipe(nothing),
	"csr_warp_row_shuffle_ahead": rowsRecipe(nothing),
	"csr_thread_row_v1":          bufferedRecipe,
	"csr_thread_row":             threadRowRecipe,
	"csr_thread_row_ahead":       rowsRecipe(nothing),
	"csr_warp_row_v1":            bufferedRecipe,
	"csr_warp_row":               bufferedRecipe,
	"csr_warp_row_ahead":         rowsRecipe(nothing),
	"csr_warp_row_tile":          tileRecipe(func(block int) int { return block / warp }),
	"csr_block_tile":             tileRecipe(func(int) int { return 1 }),
	"csr_light":                  lightRecipe,
	"csr_light_warp":             lightRecipe,
	"csr_adaptive":               adaptiveRecipe,
	"csr_pcsr":                   pcsrRecipe,
	"csr_bins_v1":                binsV1Recipe,
	"csr_bins":                   binsRecipe,
	"csr_bins_ahead":             binsRecipe,
	"csr_hybrid_v1":              hybridRecipe,
	"csr_hybrid":                 hybridRecipe,
	"csr_merge":                  mergeRecipe,
	"csr_narrow":                 narrowRecipe,
	"csr_merge_warp":             mergeWarpRecipe,

	// panel_sell.cu: the second of its kernels writes every row.
	"panel_sell": panelRecipe,

	// csr_lanes.cu: the last of its kernels writes every row.
	"csr_lanes": lanesRecipe,

	// csr_stream.cu: the kernel writes every row.
	"csr_stream": streamRecipe,

	// sell*.cu: the kernels write every row.
	"sell_c_sigma":   sellRecipe,
	"sell_blocks":    blocksRecipe,
	"sell_diagonals": diagonalsRecipe,
	"sell_hot":       sellHotRecipe,
	"sell_local":     sellLocalRecipe,
}
