package cluster_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"spmvtune/internal/testing/slurmlab"
)

// damage damages a file, and says how.
func damage(t *testing.T, rng *rand.Rand, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil || len(data) == 0 {
		return "nothing to damage"
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	at, line := rng.IntN(len(data)), rng.IntN(len(lines))
	to := at + rng.IntN(len(data)-at) + 1
	what := []string{"deleted", "emptied", "cut", "cut after a line", "noise", "noise everywhere", "a bit",
		"a line taken out", "a line twice", "more noise at the end"}[rng.IntN(10)]
	switch what {
	case "deleted":
		slurmlab.Must(t, os.Remove(path))
		return what
	case "emptied":
		data = nil
	case "cut":
		data = data[:at]
	case "cut after a line":
		data = bytes.Join(lines[:line], nil)
	case "noise everywhere":
		at, to = 0, len(data)
		fallthrough
	case "noise":
		for i := at; i < to; i++ {
			data[i] = byte(rng.Uint32())
		}
	case "a bit":
		data[at] ^= 1 << rng.IntN(8)
	case "a line taken out":
		data = bytes.Join(slices.Delete(lines, line, line+1), nil)
	case "a line twice":
		data = bytes.Join(slices.Insert(lines, line, lines[line]), nil)
	case "more noise at the end":
		for range 1 + rng.IntN(300) {
			data = append(data, byte(rng.Uint32()))
		}
	}
	// In place, so that whoever writes the file goes on with what is left.
	slurmlab.Must(t, os.WriteFile(path, data, 0o666))
	return what
}
