// Package input opens files that somebody named. It opens nothing that would wait for a writer or
// never end: no pipe, no device.
package input

import (
	"fmt"
	"io"
	"os"

	"spmvtune/internal/term"
)

// Open opens a file, and nothing else.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, fmt.Errorf("%s is not a regular file", path)
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
