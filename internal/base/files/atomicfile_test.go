package files_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/internal/base/files"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A write that fails leaves the old content and no temporary file.
func TestFailedWriteChangesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := files.Write(path, []byte("old")); err != nil {
		t.Fatal(err)
	}

	broken := errors.New("broken")
	err := files.WriteTo(path, func(w io.Writer) error {
		fmt.Fprint(w, "new")
		return broken
	})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), path) {
		t.Errorf("the error is %v", err)
	}
	if got := read(t, path); got != "old" {
		t.Errorf("the file holds %q", got)
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("the folder holds %v", list)
	}
}

// A file that is replaced keeps its permissions.
func TestPermissionsStay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := files.Write(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 || read(t, path) != "new" {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// The first of two creates the file.
func TestCreateOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := files.Create(path, []byte("first")); err != nil {
		t.Fatal(err)
	}
	if err := files.Create(path, []byte("second")); !errors.Is(err, fs.ErrExist) || read(t, path) != "first" {
		t.Errorf("%v, the file holds %q", err, read(t, path))
	}
}

// Errors do not show the random temporary name.
func TestErrorNamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "a")
	err := files.Write(path, nil)
	if want := "writing " + path + ": no such file or directory"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
