package replay

import (
	"context"
	"runtime"

	"spmvtune/internal/base/panics"
)

// Run replays a strategy on a grid once for each seed from 1 to n, on all processors.
func Run(ctx context.Context, g *Grid, strategy string, n int) ([]Path, error) {
	space := g.space()
	paths := make([]Path, n)
	group, ctx := panics.NewGroup(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))

	for i := range paths {
		group.Go(func() (err error) {
			if err := ctx.Err(); err != nil {
				return err
			}
			paths[i], err = run(g, space, strategy, uint64(i+1))
			return err
		})
	}

	return paths, group.Wait()
}
