package cuda

import "spmvtune/kernels"

// tileRecipe stages a number of tiles of x in the shared memory of a block.
func tileRecipe(tiles func(block int) int) recipeFunc {
	return func(m *structure, c kernels.Config, v int) (*recipe, error) {
		tile := settingInt(c, "tile")
		shared := tiles(c.Block) * tile * v
		return oneStep(csrStep(m, c, c.Kernel, shared, num(m.Cols), num(tile))), nil
	}
}
