package hardware

import "os"

// Here says where this process measures: the host's name, and Slurm's number of its
// job, as the names of a run's journals have it; "" outside of Slurm.
func Here() (node, job string) {
	node, _ = os.Hostname() // "" says nothing, and nothing depends on it
	if array, index := os.Getenv("SLURM_ARRAY_JOB_ID"), os.Getenv("SLURM_ARRAY_TASK_ID"); array != "" && index != "" {
		return node, array + "_" + index
	}
	return node, os.Getenv("SLURM_JOB_ID")
}
