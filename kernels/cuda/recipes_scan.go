package cuda

import "spmvtune/kernels"

// warp is the number of threads that shuffle among each other.
const warp = 32

// scanCooks make the recipes of the scans. Every kernel adds to y. Those that
// subtract prefixes have the window of their scan; all windows begin at its
// multiples, since a block's nonzeros do.
var scanCooks = map[string]cook{
	"coo_scan_shared":               cookScanShared,
	"coo_segscan_shared":            cookScanShared,
	"coo_blelloch":                  cookBlelloch,
	"coo_blelloch_padded":           cookBlelloch,
	"coo_scan_warp":                 cookScanWarp,
	"coo_segscan_warp":              cookScanWarp,
	"coo_scan_block":                cookScanBlock,
	"coo_segscan_block":             cookScanBlock,
	"coo_scan_warp_chunk":           cookScanChunk,
	"coo_segscan_warp_chunk":        cookScanChunk,
	"coo_segscan_warp_chunk_unroll": cookScanUnroll,
}

// cookScanShared keeps two buffers of sums and the rows of a window of `block`
// nonzeros in shared memory.
func cookScanShared(m *structure, c kernels.Config, v int) (*recipe, error) {
	return scan(c, c.Block, step{
		Entry:  c.Kernel,
		Shared: 2*c.Block*v + 4*c.Block,
		Args:   cooArgs(m),
	}), nil
}

// cookBlelloch keeps the sums of a window of 2·block nonzeros in shared memory;
// the padded form has an element more after every 32.
func cookBlelloch(m *structure, c kernels.Config, v int) (*recipe, error) {
	window := 2 * c.Block
	elements := window
	if c.Kernel == "coo_blelloch_padded" {
		elements += (window - 1) / 32
	}
	return scan(c, window, step{Entry: c.Kernel, Shared: elements * v, Args: cooArgs(m)}), nil
}

func cookScanWarp(m *structure, c kernels.Config, _ int) (*recipe, error) {
	return scan(c, warp, step{Entry: c.Kernel, Args: cooArgs(m)}), nil
}

func cookScanBlock(m *structure, c kernels.Config, _ int) (*recipe, error) {
	return scan(c, c.Block, step{Entry: c.Kernel, Args: cooArgs(m)}), nil
}

func cookScanChunk(m *structure, c kernels.Config, _ int) (*recipe, error) {
	return scan(c, warp, step{Entry: c.Kernel, Args: append(cooArgs(m), num(perThread(m, c)))}), nil
}

// cookScanUnroll chooses the entry that was compiled for a setting of unroll.
func cookScanUnroll(m *structure, c kernels.Config, _ int) (*recipe, error) {
	k, _ := kernels.Lookup(c.Kernel)
	return scan(c, warp, step{
		Entry: c.Kernel + k.Setting(c.Params, "unroll"),
		Args:  append(cooArgs(m), num(perThread(m, c))),
	}), nil
}

// scan completes the recipe of a kernel that scans windows of that many nonzeros.
func scan(c kernels.Config, window int, s step) *recipe {
	s.Grid, s.Block = c.Grid, c.Block
	r := addToY(s)
	if k, _ := kernels.Lookup(c.Kernel); k.Scope == kernels.ScopeBlock {
		r.Window = window
	}
	return r
}
