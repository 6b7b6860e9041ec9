package live

import (
	"os"
	"path/filepath"
	"testing"
)

// A run says how far it is from its start on, and in the end how it ended.
func TestKeep(t *testing.T) {
	dir := t.TempDir()
	asked := make(chan bool)
	end := Keep(dir, func() State {
		asked <- true
		return State{Sweep: "demo", Done: 3, Total: 7}
	})
	<-asked // the state at the start is being written
	go func() { <-asked }()
	end(Interrupted)
	end(Measured) // the first one counts
	s := Read(dir)
	if s == nil || s.Sweep != "demo" || s.Done != 3 || s.Total != 7 || s.Ended != Interrupted || s.At.IsZero() {
		t.Errorf("it says %+v", s)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, File+".*")); len(left) > 0 {
		t.Errorf("it leaves %q", left)
	}
}

// What can't be read counts as nothing.
func TestReadNothing(t *testing.T) {
	dir := t.TempDir()
	if s := Read(dir); s != nil {
		t.Errorf("of an empty folder: %+v", s)
	}
	if err := os.WriteFile(filepath.Join(dir, File), []byte(`{"done": "many"`), 0o666); err != nil {
		t.Fatal(err)
	}
	if s := Read(dir); s != nil {
		t.Errorf("of a damaged file: %+v", s)
	}
}
