package file

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Only a regular file is read.
func TestRead(t *testing.T) {
	if _, err := Read(t.Context(), filepath.Join(t.TempDir(), "none.mtx"), DefaultOptions); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: got %v", err)
	}
	dir := t.TempDir()
	if _, err := Read(t.Context(), dir, DefaultOptions); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("folder: got %v", err)
	}
}
