package merge

import "spmvtune/tuner/trial"

// Trials counts the trials of a run.
type Trials struct {
	// Done is the number of trials in the journals, however they ended.
	Done int `json:"done"`
	// Of is the number of all trials. It is an estimate until all chunks are complete.
	Of int `json:"of"`
	// OK, Invalid and Failed say how those that are done ended. The device can't launch an
	// invalid configuration. A wrong result, a fault, a time-out and lack of memory are failures.
	OK      int `json:"ok"`
	Invalid int `json:"invalid"`
	Failed  int `json:"failed"`
}

// Add counts n more trials that ended with a status.
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
