package cli

import (
	"fmt"
	"io"

	"spmvtune/slurm"
)

// newClient is a client of Slurm that says on alarm what it waits for.
func newClient(alarm io.Writer) *slurm.Client {
	return &slurm.Client{Tell: func(waiting string) { fmt.Fprintln(alarm, "waiting: "+waiting) }}
}
