package command

import "testing"

// What a database keeps of a build names its commit where its version doesn't.
func TestBuildInWords(t *testing.T) {
	b := Build{Version: "0.1.0", Commit: "1c9a10ce0f3b77", Go: "go1.26.8", System: "linux/amd64", Tags: "cuda"}
	if got, want := b.String(), "0.1.0 (1c9a10ce0f3b, go1.26.8, linux/amd64, cuda)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	b = Build{Version: "0.1.0-3-g1c9a10ce", Commit: "1c9a10ce0f3b77", Go: "go1.26.8", System: "linux/amd64"}
	if got, want := b.String(), "0.1.0-3-g1c9a10ce (go1.26.8, linux/amd64)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
