// SPDX-License-Identifier: Apache-2.0

// Package testkit has what tests of all packages share: the mark of those that take long, and the comparison of a page of
// the documentation with the code.
package testkit

import (
	"os"
	"testing"
)

// EnvLong is the variable that asks for the long tests: those that start Slurm clusters, draw every figure, or build the
// largest matrices. They run where it is set, as .ci/run does, and are skipped elsewhere, so that go test ./... ends
// within minutes. A variable reaches every package, which a flag of one's own does not: go test fails in packages that
// do not define the flag.
const EnvLong = "SPMVTUNE_LONG"

// LongAsked reports whether the long tests were asked for.
func LongAsked() bool { return os.Getenv(EnvLong) != "" }

// Long skips the test unless the long tests were asked for. The reason says what takes long.
func Long(t testing.TB, reason string) {
	t.Helper()
	if !LongAsked() {
		t.Skipf("%s; set %s=1 to run it", reason, EnvLong)
	}
}

// Draws is how many random cases a test draws: n where the long tests were asked for, and a quarter of them elsewhere.
func Draws(n int) int {
	if LongAsked() {
		return n
	}
	return n / 4
}
