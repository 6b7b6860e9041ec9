package plots

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFilesAppearWhole(t *testing.T) {
	f := folderIn(t.TempDir())
	for _, content := range []string{"first", "second"} {
		if err := f.Write("x.md", []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(f.dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%d entries (%v): temporary files are left", len(entries), err)
	}
	if got, _ := os.ReadFile(filepath.Join(f.dir, "x.md")); string(got) != "second" {
		t.Errorf("content %q", got)
	}
	if info, err := os.Stat(filepath.Join(f.dir, "x.md")); err != nil || info.Mode().Perm()&0o044 != 0o044 {
		t.Errorf("others can't read the file: %v, %v", info.Mode(), err)
	}
	if err := f.Write("nowhere/x.md", nil); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("error %v names no file", err)
	}
}
