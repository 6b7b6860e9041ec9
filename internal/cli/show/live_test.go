package show

import (
	"os"
	"path/filepath"
	"testing"

	"spmvtune/internal/testing/testkit"
)

// A run says how far it is from its start on, and in the end how it ended.
func TestKeepLive(t *testing.T) {
	dir := t.TempDir()
	asked := make(chan bool)
	end := KeepLive(dir, func() LiveState {
		asked <- true
		return LiveState{Sweep: "demo", Done: 3, Total: 7}
	})
	<-asked // the state at the start is being written
	go func() { <-asked }()
	end(EndedInterrupted)
	end(EndedMeasured) // the first one counts
	s := ReadLive(dir)
	if s == nil || s.Sweep != "demo" || s.Done != 3 || s.Total != 7 || s.Ended != EndedInterrupted || s.At.IsZero() {
		t.Errorf("it says %+v", s)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, LiveFile+".*")); len(left) > 0 {
		t.Errorf("it leaves %q", left)
	}
}

// What can't be read counts as nothing.
func TestReadNothing(t *testing.T) {
	dir := t.TempDir()
	if s := ReadLive(dir); s != nil {
		t.Errorf("of an empty folder: %+v", s)
	}
	testkit.Succeed(t, os.WriteFile(filepath.Join(dir, LiveFile), []byte(`{"done": "many"`), 0o666))
	if s := ReadLive(dir); s != nil {
		t.Errorf("of a damaged file: %+v", s)
	}
}
