package cache

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"spmvtune/internal/base/files"
	"spmvtune/sparse"
)

// Fill stores a as the entry of m.Key and replaces an existing one. m.Hash and m.Features must
// be those of a. The entry appears when all of it is on the disk; an error leaves the cache as
// it was. Fill refuses to take more than half of the space that is free: results are written to
// the same disk, more often than not.
func (d *Dir) Fill(ctx context.Context, m Meta, a *sparse.CSR[float64]) error {
	if d == nil {
		return errOff
	}
	if a.Rows != m.Features.Rows || a.Cols != m.Features.Cols || a.NNZ() != m.Features.Nonzeros {
		return fmt.Errorf("keeping %s: the features of another matrix", m.Source)
	}

	sums, err := sumsOf(ctx, a)
	if err != nil {
		return err
	}
	head, l, err := encodeHeader(header{m, sums})
	if err != nil {
		return fmt.Errorf("keeping %s: %w", m.Source, err)
	}
	if err := os.MkdirAll(d.path, 0o777); err != nil {
		return fmt.Errorf("making the cache: %w", err)
	}
	if err := d.room(l.size); err != nil {
		return err
	}

	return replace(d.entry(m.Key), func(f *os.File) error {
		for _, part := range []struct {
			memory []byte
			at     int64
		}{{head, 0}, {raw(a.RowPtr), l.rowPtr}, {raw(a.ColIdx), l.colIdx}, {raw(a.Val), l.val}} {
			for lo := 0; lo < len(part.memory); lo += pieceSize {
				if err := ctx.Err(); err != nil {
					return err
				}
				if _, err := f.WriteAt(part.memory[lo:min(lo+pieceSize, len(part.memory))],
					part.at+int64(lo)); err != nil {
					return err
				}
			}
		}

		return f.Truncate(l.size)
	})
}

// room returns an error if an entry of this many bytes would take too much of the free space on
// the disk.
func (d *Dir) room(size int64) error {
	var st unix.Statfs_t
	if err := unix.Statfs(d.path, &st); err != nil {
		return nil // writing will tell
	}
	if free := uint64(st.Bavail) * uint64(st.Bsize); uint64(size) > free/2 {
		return fmt.Errorf("filling the cache %s: a matrix would take more than half of the space that is free", d.path)
	}
	return nil
}

// replace gives the file at path the content that write writes, or leaves it unchanged.
func replace(path string, write func(*os.File) error) error {
	err := files.WriteAt(path, write)
	if err != nil {
		return fillError(path, err)
	}
	return nil
}

// fillError names the folder, not the file, whose name is random: the same trouble
// has the same words.
func fillError(path string, err error) error {
	var file *os.PathError
	if errors.As(err, &file) {
		err = file.Err
	}
	return fmt.Errorf("filling the cache %s: %w", filepath.Dir(path), err)
}
