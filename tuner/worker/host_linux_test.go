// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
)

// Only the cores count that the process may use, and idle ones are not busy.
func TestCoresOfProcStat(t *testing.T) {
	const stat = `cpu  999 9 99 9999 9 9 9 9 0 0
cpu0 100 20 30 4000 500 6 7 80 0 0
cpu1 200 0 0 100 0 0 0 0 50 0
cpu2 900 0 0 100 0 0 0 0 0 0
intr 1 2 3 4 5 6 7 8 9 10
`
	var got hostReading
	got.addCores(stat, func(core int) bool { return core < 2 })
	want := (hostReading{Total: 50.43, Busy: 3.63, Stolen: 0.8})
	testkit.Check(t, near(got.Total, want.Total) && near(got.Busy, want.Busy) && near(got.Stolen, want.Stolen),
		"%+v, want %+v", got, want)
	now := readHost()
	testkit.Check(t, now.Total != 0 && now.Own != 0, "of this machine: %+v", now)
}

func near(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }
