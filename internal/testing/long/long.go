// Package long marks the tests that take long: those that start Slurm clusters, draw every
// figure, or build the largest matrices. They run where the environment variable
// SPMVTUNE_LONG is set, as .ci/run does, and are skipped elsewhere, so that go test ./...
// ends within minutes. A variable reaches every package, which a flag of one's own does
// not: go test fails in packages that do not define the flag.
package long

import (
	"os"
	"testing"
)

// Env is the variable that asks for the long tests.
const Env = "SPMVTUNE_LONG"

// Asked reports whether the long tests were asked for.
func Asked() bool { return os.Getenv(Env) != "" }

// Test skips the test unless the long tests were asked for. The reason says what takes long.
func Test(t testing.TB, reason string) {
	t.Helper()
	if !Asked() {
		t.Skipf("%s; set %s=1 to run it", reason, Env)
	}
}
