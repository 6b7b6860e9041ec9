package cli

import (
	"context"
	"fmt"
	"io"
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

// launchWorker returns how to start a worker for a backend: from this program's
// own binary or, for a GPU, from the one built with CUDA beside it. Where there
// is none, the worker's error says how to build it.
func launchWorker(backend string) (tuner.Launcher, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	if backend == "cuda" && !cuda.Built {
		if beside, ok := cudaProgram(program); ok {
			program = beside
		}
	}
	return func() *exec.Cmd { return exec.Command(program, "worker") }, nil
}

// openBackend opens the device that a part of a sweep runs on.
func openBackend(d configs.Device) (kernels.Backend, error) {
	if d.Backend == "cuda" {
		return cuda.Open(d.Index)
	}
	return cpu.Open()
}

// parts splits a sweep by the backends that its kernels need. Where the sweep
// leaves the choice open (backend = "auto"), kernels for a GPU that is not here
// are left out with a note.
func parts(ctx context.Context, w io.Writer, sweep *configs.Sweep) ([]*configs.Sweep, error) {
	var out []*configs.Sweep
	var missing error
	for _, backend := range sweep.Backends() {
		if backend == "cuda" && sweep.Device.Backend != "cuda" {
			if _, missing = findCUDA(ctx, sweep.Device.Index); missing != nil {
				fmt.Fprintf(w, "note: the kernels for a GPU are left out: %v\n", missing)
				continue
			}
		}
		out = append(out, sweep.Only(backend))
	}
	if len(out) == 0 {
		return nil, withHint(fmt.Errorf("all kernels of this sweep need a GPU: %w", missing), "spmvtune doctor says what was found")
	}
	return out, nil
}
