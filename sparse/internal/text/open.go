package text

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"spmvtune/internal/base/files"
)

// Open opens a file, and nothing else.
func Open(path string) (*os.File, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening matrix: %w", err)
	}
	return f, nil
}

// An Interruptible reads from R until Ctx ends.
type Interruptible struct {
	Ctx context.Context
	R   io.Reader
}

func (i *Interruptible) Read(p []byte) (int, error) {
	if err := i.Ctx.Err(); err != nil {
		return 0, err
	}
	return i.R.Read(p)
}

// UsualHeader is within how many bytes the sizes of nearly every file are. Of
// thousands of files, on a file system that many share, not more should be read.
const UsualHeader = 8 << 10

// ErrBeyond says that a header goes on beyond its usual length.
var ErrBeyond = errors.New("the header is longer")

// A Beginning is the first Left bytes of R, and not its end: what follows is
// ErrBeyond.
type Beginning struct {
	R    io.Reader
	Left int
}

func (b *Beginning) Read(p []byte) (int, error) {
	if b.Left == 0 {
		return 0, ErrBeyond
	}
	n, err := b.R.Read(p[:min(len(p), b.Left)])
	b.Left -= n
	return n, err
}
