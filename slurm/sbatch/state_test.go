package sbatch

import "testing"

func TestParseState(t *testing.T) {
	for text, want := range map[string]State{
		"COMPLETED":         Completed,
		" RUNNING ":         Running,
		"CANCELLED by 1000": Cancelled,
		"CANCELLED+":        Cancelled,
		"OUT_OF_ME+":        OutOfMemory,
		"RE+":               Unknown, // several begin so
		"COMPLETE":          Unknown, // but for the +, words are whole
		"OUT_OF_MEMORY":     OutOfMemory,
		"TIMEOUT":           TimedOut,
		"":                  Unknown,
		"EXPEDITING":        Unknown, // of a later version
		"UNKNOWN":           Unknown,
	} {
		if got := ParseState(text); got != want {
			t.Errorf("ParseState(%q) = %s, want %s", text, got, want)
		}
	}
	if Unknown.Terminal() || Unknown.Active() || Unknown.Failed() {
		t.Error("an unknown state says something")
	}
	if Completed.Failed() || Completed.Active() || !Completed.Terminal() {
		t.Error("a completed job is not just completed")
	}
	if !Requeued.Active() || !Preempted.Failed() || !SpecialExit.Active() {
		t.Error("a job that runs again is not active, or one that does not is")
	}
}
