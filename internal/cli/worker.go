package cli

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/kernels/cpu"
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

// launchWorker starts a worker from this program's own binary.
func launchWorker() (tuner.Launcher, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	return func() *exec.Cmd { return exec.Command(self, "worker") }, nil
}

// openBackend opens the device that a sweep asks for.
func openBackend(d configs.Device) (kernels.Backend, error) {
	switch d.Backend {
	case "", "auto", "cpu":
		return cpu.Open()
	default:
		return nil, errNoCUDA
	}
}

var errNoCUDA = fmt.Errorf("this program has no cuda backend: set backend = \"cpu\" under [device]")
