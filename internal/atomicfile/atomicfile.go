// Package atomicfile writes files that appear whole or not at all, also after a crash: other
// processes see the old content or the new. A file is written under a temporary name in the
// same folder, flushed to the disk, and renamed.
//
// Errors are of type *os.PathError and name the file, not its temporary name: the same cause
// always has the same text.
package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Temporary is part of the names of unfinished files.
const Temporary = ".tmp-"

// Write replaces the content of a file.
func Write(path string, content []byte) error {
	return finish(path, plain(content), os.Rename)
}

// Create writes a file that must not exist yet. If it does, the error is fs.ErrExist: of
// several processes one creates the file.
func Create(path string, content []byte) error {
	return finish(path, plain(content), os.Link)
}

// WriteTo replaces the content of a file by what a function writes. Writes are buffered.
func WriteTo(path string, write func(io.Writer) error) error {
	return finish(path, func(f *os.File) error {
		out := bufio.NewWriterSize(f, 1<<20)
		if err := write(out); err != nil {
			return err
		}
		return out.Flush()
	}, os.Rename)
}

// WriteAt is WriteTo for a function that writes at offsets.
func WriteAt(path string, write func(*os.File) error) error {
	return finish(path, write, os.Rename)
}

func plain(content []byte) func(*os.File) error {
	return func(f *os.File) error {
		_, err := f.Write(content)
		return err
	}
}

// finish writes a temporary file and gives it its name.
func finish(path string, write func(*os.File) error, give func(temporary, path string) error) (err error) {
	name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s%s%016x", filepath.Base(path), Temporary, rand.Uint64()))
	defer func() {
		if err != nil {
			err = &os.PathError{Op: "writing", Path: path, Err: withoutName(err, name)}
		}
	}()

	// Unlike os.CreateTemp this leaves the permissions to the user's mask.
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer os.Remove(name) // fails after a rename
	defer f.Close()

	if info, err := os.Stat(path); err == nil {
		if err := f.Chmod(info.Mode().Perm()); err != nil {
			return err
		}
	}
	if err := write(f); err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	return give(name, path)
}

// withoutName returns the cause of an error that names the temporary file.
func withoutName(err error, name string) error {
	var file *os.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &file) && file.Path == name:
		return file.Err
	case errors.As(err, &link) && link.Old == name:
		return link.Err
	default:
		return err
	}
}
