package file

import (
	"errors"
	"fmt"
	"io"

	"spmvtune/sparse/internal/text"
)

// ReadSize reads little more of the file at path than the lines that give its
// size. Errors are those of Read.
func ReadSize(path string, opt Options) (Size, error) {
	f, err := text.Open(path)
	if err != nil {
		return Size{}, err
	}
	defer f.Close()
	size, err := decodeSize(&text.Beginning{R: f, Left: text.UsualHeader}, path, opt)
	if !errors.Is(err, text.ErrBeyond) {
		return size, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return Size{}, fmt.Errorf("reading %s again: %w", path, err)
	}

	return decodeSize(f, path, opt)
}

func decodeSize(r io.Reader, name string, opt Options) (Size, error) {
	s, err := text.NewSource(r, name, members...)
	if err != nil {
		return Size{}, err
	}
	return formatOf(s).ParseSize(s, opt)
}
