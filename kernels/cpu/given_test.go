// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
)

// A process has what Slurm gave its job on the node, and one of several tasks of a step a share of that.
func TestGivenShare(t *testing.T) {
	for _, c := range []struct {
		job, cpus, tasks, node, each string
		want                         int
	}{
		{"7", "4", "", "", "", 4}, {"", "4", "", "", "", 0}, {"7", "", "", "", "", 0}, {"7", "4(x2)", "", "", "", 0},
		{"7", "-1", "", "", "", 0},
		{"7", "4", "1", "0", "2", 4}, {"7", "4", "2", "0", "", 2}, {"7", "4", "2", "0", "1", 1}, {"7", "4", "2", "0", "3", 2},
		{"7", "8", "2(x3),4", "2", "", 4}, {"7", "8", "2(x3),4", "3", "", 2}, {"7", "8", "2(x3),4", "4", "", 8},
		{"7", "2", "4", "0", "", 1}, {"7", "4", "2", "", "", 4}, {"7", "", "2", "0", "", 0}, {"7", "4", "two", "0", "", 4},
	} {
		set := map[string]string{"SLURM_JOB_ID": c.job, "SLURM_CPUS_ON_NODE": c.cpus,
			"SLURM_STEP_TASKS_PER_NODE": c.tasks, "SLURM_NODEID": c.node, "SLURM_CPUS_PER_TASK": c.each}
		testkit.Equal(t, GivenShare(func(key string) string { return set[key] }).CPUs, c.want, "%+v", c)
	}

	// Memory it says by node or by processor.
	for _, c := range []struct {
		job, node, cpu, cpus, tasks string
		mb                          int64
	}{
		{"7", "480", "", "2", "", 480}, {"7", "", "100", "2", "", 200}, {"7", "480", "", "2", "2", 240}, {"", "480", "", "", "", 0},
		{"7", "", "", "2", "", 0}, {"7", "0", "", "2", "", 0}, {"7", "much", "", "2", "", 0}, {"7", "-1", "", "2", "", 0},
	} {
		set := map[string]string{"SLURM_JOB_ID": c.job, "SLURM_MEM_PER_NODE": c.node, "SLURM_MEM_PER_CPU": c.cpu,
			"SLURM_CPUS_ON_NODE": c.cpus, "SLURM_STEP_TASKS_PER_NODE": c.tasks, "SLURM_NODEID": "0"}
		testkit.Equal(t, GivenShare(func(key string) string { return set[key] }).Memory, c.mb<<20, "%+v", c)
	}
}
