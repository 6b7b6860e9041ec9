package cluster

import (
	"fmt"
	"io"

	"spmvtune/slurm/sbatch"
)

// newClient is a client of Slurm that says on alarm what it waits for.
func newClient(alarm io.Writer) *sbatch.Client {
	return &sbatch.Client{Tell: func(waiting string) { fmt.Fprintln(alarm, "waiting: "+waiting) }}
}
