package cache

import (
	"context"
	"runtime"

	"spmvtune/internal/base/panics"
)

// pieceSize is how much of a file is read or hashed at a time. It is part of the
// digest of files.
const pieceSize = 1 << 22

// eachPiece calls f for all pieces [lo, hi) of a size, on all cores, until ctx ends.
func eachPiece(ctx context.Context, size int64, f func(lo, hi int64) error) error {
	g, within := panics.NewGroup(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for lo := int64(0); lo < size && within.Err() == nil; lo += pieceSize {
		g.Go(func() error {
			if err := within.Err(); err != nil {
				return err
			}
			return panics.ReadMapped(func() error { return f(lo, min(lo+pieceSize, size)) })
		})
	}

	err := g.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
