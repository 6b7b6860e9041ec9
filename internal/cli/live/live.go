// Package live is how a run tells others how far it is: a small file in its folder, which is
// written anew while it measures. Nothing depends on it: a run that can't write it goes on.
package live

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"

	"spmvtune/internal/base/files"
)

// File is the name of the file in the folder of the results.
const File = ".progress.json"

// Every is how often a run writes the file.
const Every = 2 * time.Second

// A State is how far a run is. Trials count those of earlier runs as well.
type State struct {
	Sweep    string `json:"sweep"`
	Device   string `json:"device"`
	Done     int    `json:"done"`
	Total    int    `json:"total"`   // an estimate until the last matrix is planned
	AtMost   bool   `json:"at_most"` // a search decides how many there are: Total is the upper bound
	Matrix   string `json:"matrix"`
	Index    int    `json:"index"` // of the matrix, from 1
	Matrices int    `json:"matrices"`
	// Rate is in trials per second, and Left in seconds; 0 if they are not known yet.
	Rate float64 `json:"rate"`
	Left float64 `json:"left"`
	// Ended is empty while the run goes on, and then says how it ended.
	Ended string    `json:"ended,omitempty"`
	At    time.Time `json:"at"`
}

// The ends of a run.
const (
	Measured    = "measured"
	Interrupted = "interrupted"
	Failed      = "failed"
)

// Keep writes the state of a run to its folder until end is called, which says how the run ended.
func Keep(dir string, state func() State) (end func(how string)) {
	ended, done := make(chan string), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(Every)
		defer tick.Stop()
		for how := ""; ; {
			s := state()
			s.Ended, s.At = how, time.Now().UTC()
			write(dir, s)
			if how != "" {
				return
			}
			select {
			case <-tick.C:
			case how = <-ended:
			}
		}
	}()
	var once sync.Once
	return func(how string) {
		once.Do(func() {
			ended <- how
			<-done
		})
	}
}

// write replaces the file. It does not flush it to the disk, which would disturb measurements for
// something that has no worth after a crash.
func write(dir string, s State) {
	content, err := json.Marshal(s)
	if err != nil {
		return
	}
	path := filepath.Join(dir, File)
	if os.WriteFile(path+".new", content, 0o666) == nil {
		_ = os.Rename(path+".new", path)
	}
}

// Read reads the state of the run in a folder, nil if it says none.
func Read(dir string) *State {
	content, err := files.ReadFile(filepath.Join(dir, File), 1<<16)
	var s State
	if err != nil || json.Unmarshal(content, &s) != nil {
		return nil
	}
	return &s
}
