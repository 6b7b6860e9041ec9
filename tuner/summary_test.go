package tuner

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"spmvtune/tuner/trial"
	"spmvtune/tuner/worker"
)

// What was done on several devices adds up; a matrix that failed on each failed once.
func TestSummariesAddUp(t *testing.T) {
	gone, twice := Failure{Matrix: "gone", Err: errors.New("no such file")}, Duplicate{"same", "grid"}
	failed := trial.Result{Status: trial.Fault}
	one := Summary{Trials: 5, Finished: 3, OKBefore: 2, FailedBefore: 1, Measured: map[trial.Status]int{trial.OK: 2},
		Invalid: map[string]int{"block": 1}, Skipped: map[string]int{"empty": 4}, Failed: []trial.Result{failed},
		Failures: []Failure{gone}, Duplicates: []Duplicate{twice}, Effort: worker.Effort{Trials: 2, Wall: time.Second},
		Finals: 8, Spreads: 2}
	two := one
	two.Measured, two.Crowded = map[trial.Status]int{trial.OK: 1, trial.Fault: 1}, &Crowded{Launching: true}
	two.Failures = []Failure{{Matrix: "bad", Err: errors.New("no matrix")}, gone}
	two.Interrupted, two.OutOfTime = true, true
	want := Summary{Trials: 10, Finished: 6, OKBefore: 4, FailedBefore: 2,
		Measured: map[trial.Status]int{trial.OK: 3, trial.Fault: 1}, Invalid: map[string]int{"block": 2},
		Skipped: map[string]int{"empty": 8}, Failed: []trial.Result{failed, failed}, Duplicates: []Duplicate{twice},
		Effort: worker.Effort{Trials: 4, Wall: 2 * time.Second}, Crowded: two.Crowded,
		Finals: 16, Spreads: 4, Interrupted: true, OutOfTime: true}
	for _, order := range [][2]Summary{{one, two}, {two, one}} {
		var sum Summary
		sum.Add(order[0])
		sum.Add(order[1])
		if len(sum.Failures) != 2 {
			t.Errorf("failures %v, want two", sum.Failures)
		}
		sum.Failures = nil
		if !reflect.DeepEqual(sum, want) {
			t.Errorf("sum %+v\nwant %+v", sum, want)
		}
	}
}
