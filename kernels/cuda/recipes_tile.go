package cuda

import "spmvtune/kernels"

// tileCooks make the recipes of csr_tile.cu. Every kernel writes every row.
var tileCooks = map[string]cook{
	"csr_warp_row_tile": cookTile(func(block int) int { return block / warp }),
	"csr_block_tile":    cookTile(func(int) int { return 1 }),
}

// cookTile stages a number of tiles of x in the shared memory of a block.
func cookTile(tiles func(block int) int) cook {
	return func(m *structure, c kernels.Config, v int) (*recipe, error) {
		tile := settingInt(c, "tile")
		shared := tiles(c.Block) * tile * v
		return oneStep(csrStep(m, c, c.Kernel, shared, num(m.Cols), num(tile))), nil
	}
}
