package hardware

import "os"

// Here returns where this process measures: the name of the host, and Slurm's number of the job
// as in the names of journals; "" outside of Slurm.
func Here() (node, job string) {
	node, _ = os.Hostname() // nothing depends on it
	if array, index := os.Getenv("SLURM_ARRAY_JOB_ID"), os.Getenv("SLURM_ARRAY_TASK_ID"); array != "" && index != "" {
		return node, array + "_" + index
	}
	return node, os.Getenv("SLURM_JOB_ID")
}
