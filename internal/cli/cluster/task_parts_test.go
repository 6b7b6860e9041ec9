package cluster

import (
	"errors"
	"strings"
	"testing"
	"time"

	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// A piece is complete when its share on every device is, however it was cut.
func TestAccount(t *testing.T) {
	half := trial.Piece{Matrix: "a", Part: trial.Part{Index: 1, Of: 2}}
	end := func(index, of int, reason string) *ledger {
		return &ledger{tuner.Summary{Pieces: []trial.Piece{{Matrix: "a", Part: trial.Part{Index: index, Of: of},
			Complete: reason == "", Reason: reason}}}}
	}
	for name, c := range map[string]struct {
		ledgers []*ledger
		piece   trial.Piece
		want    string
	}{
		"nothing begun":   {nil, half, "a: not begun"},
		"measured":        {[]*ledger{end(1, 2, "")}, half, ""},
		"interrupted":     {[]*ledger{end(1, 2, "it was interrupted")}, half, "a: it was interrupted"},
		"one device left": {[]*ledger{end(1, 2, ""), {}}, half, "a: not begun"},
		"both shares":     {[]*ledger{end(2, 4, ""), end(3, 4, "")}, half, ""},
		"a share failed":  {[]*ledger{end(2, 4, ""), end(3, 4, "gone")}, half, "a: gone"},
		"share of the whole": {[]*ledger{end(1, 2, ""), end(2, 4, "")},
			trial.Piece{Matrix: "a", Part: trial.Part{Index: 2, Of: 4}}, ""},
		"another part":   {[]*ledger{end(0, 2, "")}, half, "a: not begun"},
		"another matrix": {[]*ledger{end(0, 1, "")}, trial.Piece{Matrix: "b", Part: trial.Part{Of: 1}}, "b: not begun"},
	} {
		list, complete, lacks := account([]trial.Piece{c.piece}, c.ledgers)
		if lacks != c.want || (complete == 1) != (lacks == "") || list[0].Complete != (lacks == "") {
			t.Errorf("%s: %+v, lacks %q", name, list, lacks)
		}
	}
}

// The log of a long task has some dozens of lines, however many matrices and trials
// it has.
func TestTaskLogIsShort(t *testing.T) {
	for _, matrices := range []int{1, 20, 1000} {
		var out strings.Builder
		l := &progressLog{log: &taskLog{w: &out}}
		l.Observe(tuner.Event{Started: &tuner.Started{Device: "chip", Matrices: matrices}})
		for m := range matrices {
			l.Observe(tuner.Event{Matrix: &tuner.MatrixPlanned{Index: m, Trials: 500}})
			for range 500 {
				l.said = l.said.Add(-24 * time.Hour / time.Duration(500*matrices)) // as if a day passed
				l.Observe(tuner.Event{Result: &trial.Result{}})
			}
		}
		if n := strings.Count(out.String(), "\n"); n < 11 || n > 90 || !strings.Contains(out.String(), " 100%: ") {
			t.Errorf("%d matrices: %d lines\n%s", matrices, n, out.String())
		}
	}
}

// The log of a task counts a matrix that a lost GPU leaves to another one once.
func TestTaskLogCountsAMatrixOnce(t *testing.T) {
	var out strings.Builder
	l := &progressLog{log: &taskLog{w: &out}}
	l.Observe(tuner.Event{Started: &tuner.Started{Device: "chip", Devices: 2, Matrices: 1}})
	for _, again := range []bool{false, true} {
		l.Observe(tuner.Event{Matrix: &tuner.MatrixPlanned{Trials: 10, Again: again}})
		for range 5 {
			l.Observe(tuner.Event{Result: &trial.Result{}})
		}
	}
	if !strings.Contains(out.String(), " 100%: 10 trials measured, 10 of 10 done") {
		t.Errorf("the log is\n%s", out.String())
	}
}

// The log of a task says what a run on one machine says while it goes on.
func TestTaskLogHasNotes(t *testing.T) {
	var out strings.Builder
	l := &progressLog{log: &taskLog{w: &out}}
	for want, e := range map[string]tuner.Event{
		"note: the bandwidth of the memory is not known, and results are not compared with it: too slow": {
			Roofless: errors.New("too slow")},
		"note: mine does not compile. 2 configurations are invalid": {
			Unbuilt: &tuner.Unbuilt{Kernel: "mine", Reason: "does not compile", Configs: 2}},
		"note: the processor is busy": {Crowded: &tuner.Crowded{}},
	} {
		if l.Observe(e); !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, out.String())
		}
	}
}
