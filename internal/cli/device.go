package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/kernels/cuda"
)

// newDevice is the hidden command by which one binary asks the other what GPU it
// sees.
func newDevice() *cobra.Command {
	var index int
	cmd := &cobra.Command{
		Use:    "device",
		Short:  "Describe the GPU as JSON",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			b, err := openBackend(configs.Device{Backend: "cuda", Index: index})
			if err != nil {
				return err
			}
			dev := b.Device()
			if err := b.Close(); err != nil {
				return err
			}
			return writeJSON(cmd.OutOrStdout(), dev)
		},
	}
	cmd.Flags().IntVar(&index, "index", 0, "which GPU")
	return cmd
}

// cudaProgram returns the binary built with CUDA that lies beside program.
func cudaProgram(program string) (path string, ok bool) {
	if resolved, err := filepath.EvalSymlinks(program); err == nil {
		program = resolved
	}
	path = filepath.Join(filepath.Dir(program), "spmvtune-cuda")
	info, err := os.Stat(path)
	return path, err == nil && info.Mode().IsRegular()
}

// findCUDA describes the GPU, through this program or the one beside it.
func findCUDA(ctx context.Context, index int) (kernels.Device, error) {
	program, err := os.Executable()
	if err != nil {
		return kernels.Device{}, fmt.Errorf("finding this program: %w", err)
	}
	if cuda.Built {
		return askCUDA(ctx, program, index)
	}
	beside, ok := cudaProgram(program)
	if !ok {
		_, err := cuda.Open(index) // says how to build it
		return kernels.Device{}, err
	}
	return askCUDA(ctx, beside, index)
}

// askCUDA asks a program built with CUDA for the GPU with this index. The driver
// may take its time, but not for ever.
func askCUDA(ctx context.Context, program string, index int) (kernels.Device, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "device", "--index", strconv.Itoa(index))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	if ctx.Err() != nil {
		return kernels.Device{}, fmt.Errorf("the driver does not answer: %w", ctx.Err())
	}
	var dev kernels.Device
	if err == nil {
		err = json.Unmarshal(stdout, &dev)
	} else if said := reason(string(stdout), stderr.String()); said != "" {
		err = errors.New(said)
	}
	return dev, err
}

// reason is why a program built with CUDA did not start: what the driver said
// (package cu prints that to standard output before main runs), or else its own
// error.
func reason(stdout, stderr string) string {
	if _, code, ok := strings.Cut(stdout, "Error in initialization"); ok {
		if _, code, ok = strings.Cut(code, "details on: "); ok {
			return "the driver can't be initialised: " + strings.TrimSpace(code)
		}
	}
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	return strings.TrimPrefix(lines[0], "error: ")
}
