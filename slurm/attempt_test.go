package slurm

import (
	"os"
	"os/signal"
	"syscall"
	"testing"

	"spmvtune/internal/testing/slurmlab"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// Who cancels a task sends SIGTERM: it must not come back, whatever warns it.
func TestWarningsAndEnds(t *testing.T) {
	for text, want := range map[string]map[syscall.Signal]bool{ // whether it warns
		"":         {syscall.SIGUSR1: true, syscall.SIGTERM: false, syscall.SIGINT: false},
		"USR2@120": {syscall.SIGUSR1: true, syscall.SIGUSR2: true, syscall.SIGTERM: false},
		"ALRM@1":   {syscall.SIGALRM: true, syscall.SIGTERM: false},
		"TERM@60":  {syscall.SIGUSR1: true, syscall.SIGTERM: false},
		"INT@60":   {syscall.SIGINT: false},
	} {
		for sig, warns := range want {
			ctx, s := WatchStops(t.Context(), "")
			s.warnBy(text)
			slurmlab.Must(t, syscall.Kill(os.Getpid(), sig))
			<-ctx.Done()
			if warned, ended := s.Received(); (warned == sig) != warns || (ended == sig) == warns {
				t.Errorf("%q: %v warns with %v, ends with %v", text, sig, warned, ended)
			}
			signal.Stop(s.came)
		}
	}
}

// A piece is complete when its share on every device is, however it was cut.
func TestCompletedPieces(t *testing.T) {
	half := trial.Piece{Matrix: "a", Part: trial.Part{Index: 1, Of: 2}}
	end := func(index, of int, reason string) tuner.Summary {
		return tuner.Summary{Pieces: []trial.Piece{{Matrix: "a", Part: trial.Part{Index: index, Of: of},
			Complete: reason == "", Reason: reason}}}
	}
	for name, c := range map[string]struct {
		sums  []tuner.Summary
		piece trial.Piece
		want  string
	}{
		"nothing begun":   {nil, half, "a: not begun"},
		"measured":        {[]tuner.Summary{end(1, 2, "")}, half, ""},
		"interrupted":     {[]tuner.Summary{end(1, 2, "it was interrupted")}, half, "a: it was interrupted"},
		"one device left": {[]tuner.Summary{end(1, 2, ""), {}}, half, "a: not begun"},
		"both shares":     {[]tuner.Summary{end(2, 4, ""), end(3, 4, "")}, half, ""},
		"a share failed":  {[]tuner.Summary{end(2, 4, ""), end(3, 4, "gone")}, half, "a: gone"},
		"share of the whole": {[]tuner.Summary{end(1, 2, ""), end(2, 4, "")},
			trial.Piece{Matrix: "a", Part: trial.Part{Index: 2, Of: 4}}, ""},
		"another part":   {[]tuner.Summary{end(0, 2, "")}, half, "a: not begun"},
		"another matrix": {[]tuner.Summary{end(0, 1, "")}, trial.Piece{Matrix: "b", Part: trial.Part{Of: 1}}, "b: not begun"},
	} {
		list, complete, lacks := completed([]trial.Piece{c.piece}, c.sums)
		if lacks != c.want || (complete == 1) != (lacks == "") || list[0].Complete != (lacks == "") {
			t.Errorf("%s: %+v, lacks %q", name, list, lacks)
		}
	}
}
