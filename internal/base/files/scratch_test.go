package files

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// A folder that a killed process left goes away with the next one; that of a process that lives stays, and so
// do one that is being made and one of another machine, whose lock this one may not see.
func TestNewRemovesWhatWasLeft(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "job[1]") // no pattern
	if err := os.Mkdir(parent, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", parent)
	reading, err := NewScratch("", "copy-")
	if err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	killed, fresh := filepath.Join(os.TempDir(), "copy-"+host+".1"), filepath.Join(os.TempDir(), "copy-"+host+".2")
	other, elsewhere := filepath.Join(os.TempDir(), "other-"+host+".1"), filepath.Join(os.TempDir(), "copy-"+host+"2.1")
	hourAgo := time.Now().Add(-time.Hour)
	for _, dir := range []string{killed, fresh, other, elsewhere} {
		if err := os.MkdirAll(filepath.Join(dir, "x"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{killed, other, elsewhere, reading.Path()} {
		os.Chtimes(dir, hourAgo, hourAgo)
	}

	made, err := NewScratch("", "copy-")
	if err != nil {
		t.Fatal(err)
	}
	there := func(want ...string) {
		t.Helper()
		var got []string
		entries, _ := os.ReadDir(parent)
		for _, e := range entries {
			got = append(got, filepath.Join(parent, e.Name()))
		}
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("there are %q, want %q", got, want)
		}
	}
	there(fresh, other, elsewhere, reading.Path(), made.Path())
	if err := made.Remove(); err != nil {
		t.Error(err)
	}
	there(fresh, other, elsewhere, reading.Path())
}
