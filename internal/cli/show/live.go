// SPDX-License-Identifier: Apache-2.0

package show

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"

	"example.org/spmvtune/internal/base/files"
)

// LiveFile is the name of the file in the folder of the results.
const LiveFile = ".progress.json"

// LiveEvery is how often a run writes the file.
const LiveEvery = 2 * time.Second

// A LiveState is how far a run is. Trials count those of earlier runs as well.
type LiveState struct {
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
	EndedMeasured    = "measured"
	EndedInterrupted = "interrupted"
	EndedFailed      = "failed"
)

// KeepLive writes the state of a run to its folder until end is called, which says how the run ended.
func KeepLive(dir string, state func() LiveState) (end func(how string)) {
	ended, done := make(chan string), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(LiveEvery)
		defer tick.Stop()
		for how := ""; ; {
			s := state()
			s.Ended, s.At = how, time.Now().UTC()
			writeLive(dir, s)
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

// writeLive replaces the file. It does not flush it to the disk, which would disturb measurements for
// something that has no worth after a crash.
func writeLive(dir string, s LiveState) {
	content, err := json.Marshal(s)
	if err != nil {
		return
	}
	path := filepath.Join(dir, LiveFile)
	if os.WriteFile(path+".new", content, 0o666) == nil {
		_ = os.Rename(path+".new", path)
	}
}

// ReadLive reads the state of the run in a folder, nil if it says none.
func ReadLive(dir string) *LiveState {
	content, err := files.ReadFile(filepath.Join(dir, LiveFile), 1<<16)
	var s LiveState
	if err != nil || json.Unmarshal(content, &s) != nil {
		return nil
	}
	return &s
}
