// Package input opens files that somebody named. It opens nothing that would wait for a writer or
// never end: no pipe, no device.
package input

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"spmvtune/internal/term"
)

// Why something is not opened.
var (
	errFolder = errors.New("a folder: name a file in it")
	errOther  = errors.New("not a regular file: save its content to a file first, and name that")
)

// Check refuses what is there and is not a file.
func Check(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil || info.Mode().IsRegular():
		return nil
	case info.IsDir():
		return &fs.PathError{Op: "open", Path: path, Err: errFolder}
	}
	return &fs.PathError{Op: "open", Path: path, Err: errOther}
}

// Open opens a file, and nothing else.
func Open(path string) (*os.File, error) {
	if err := Check(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// ReadFile reads a file of at most this many bytes.
func ReadFile(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		return nil, fmt.Errorf("%s is larger than %s", path, term.Bytes(most))
	}
	return text, err
}
