package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// replaceFile makes the file at path hold content: whole, or not at all.
func replaceFile(path string, content []byte) error {
	return replaceWith(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// replaceWith is replaceFile for content that is written bit by bit.
func replaceWith(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer os.Remove(f.Name()) // fails after the rename, as it should
	defer f.Close()
	out := bufio.NewWriterSize(f, 1<<20)
	if err := write(out); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	for _, step := range []func() error{
		out.Flush,
		func() error { return f.Chmod(0o644) }, // CreateTemp's is for the owner alone
		f.Sync, f.Close,
		func() error { return os.Rename(f.Name(), path) },
	} {
		if err := step(); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
	}
	return nil
}
