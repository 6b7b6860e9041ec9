package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/kernels/cpu"
	"spmvtune/kernels/cuda"
	"spmvtune/tuner"
)

// newWorker is the hidden command that the process of measurements runs.
func newWorker() *cobra.Command {
	return &cobra.Command{
		Use:    "worker",
		Short:  "Run measurements for a parent process",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			in := os.NewFile(tuner.RequestFD, "requests")
			out := os.NewFile(tuner.ReplyFD, "replies")
			return tuner.Serve(in, out, openBackend)
		},
	}
}

// launchWorker starts a worker for the device that a sweep asks for: from this
// program's own binary, or, for a GPU, from the one built with CUDA beside it. A
// note on standard error says why a GPU that might have been meant is not used.
func launchWorker(ctx context.Context, d configs.Device) (tuner.Launcher, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	if beside, ok := cudaProgram(program); ok && !cuda.Built {
		switch d.Backend {
		case "cuda":
			program = beside
		case "", "auto":
			if _, err := askCUDA(ctx, beside, d.Index); err != nil {
				fmt.Fprintf(os.Stderr, "note: no GPU is used: %v\n", err)
			} else {
				program = beside
			}
		}
	}
	return func() *exec.Cmd { return exec.Command(program, "worker") }, nil
}

// openBackend opens the device that a sweep asks for. A program built with CUDA
// runs only where there is a GPU, and auto means that one; falling back here
// would change devices in the middle of a sweep.
func openBackend(d configs.Device) (kernels.Backend, error) {
	if d.Backend == "cuda" || d.Backend != "cpu" && cuda.Built {
		return cuda.Open(d.Index)
	}
	return cpu.Open()
}
