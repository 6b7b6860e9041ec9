package merge

import "spmvtune/tuner/trial"

// Trials counts the trials of a run.
type Trials struct {
	Done    int `json:"done"`    // in the journals, however they ended
	Of      int `json:"of"`      // all; until a chunk is complete, of that only a guess
	OK      int `json:"ok"`      // of those that are done
	Invalid int `json:"invalid"` // configurations that the device can't launch
	Failed  int `json:"failed"`  // wrong results, faults, time-outs, out of memory
}

// Add counts n more trials that ended in a status.
func (t *Trials) Add(status trial.Status, n int) {
	t.Done += n
	switch status {
	case trial.OK:
		t.OK += n
	case trial.Invalid:
		t.Invalid += n
	default:
		t.Failed += n
	}
}
