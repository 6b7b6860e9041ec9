package hardware

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
	"spmvtune/internal/cli/command"
	"spmvtune/internal/term"
	"spmvtune/kernels"
	"spmvtune/kernels/cuda"
	"spmvtune/tuner/worker"
)

// A gpu is what one binary tells the other of a GPU.
type gpu struct {
	kernels.Device
	Sensors   *kernels.Reading `json:"sensors,omitempty"`
	NoSensors string           `json:"no_sensors,omitempty"` // why they can't be read
}

func (g *gpu) sense(s worker.Sensors) {
	r, err := s.Sense()
	if err != nil {
		g.NoSensors = err.Error()
		return
	}
	g.Sensors = &r
}

// newDevice is the hidden command by which one binary asks the other what GPU it
// sees.
func NewDeviceCommand() *cobra.Command {
	var index int
	cmd := &cobra.Command{
		Use:    "device",
		Short:  "Describe the GPU as JSON",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			b, err := OpenBackend(configs.Device{Backend: "cuda", Index: index})
			if err != nil {
				return err
			}
			found := gpu{Device: b.Device()}
			if s, ok := b.(worker.Sensors); ok {
				found.sense(s)
			}
			if err := b.Close(); err != nil {
				return err
			}
			return term.WriteJSON(cmd.OutOrStdout(), found)
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

// FindCUDA describes the GPU, through this program or the one beside it.
func FindCUDA(ctx context.Context, index int) (kernels.Device, error) {
	found, err := FindGPU(ctx, index)
	return found.Device, err
}

// FindGPU is findCUDA with what the GPU's sensors say.
func FindGPU(ctx context.Context, index int) (gpu, error) {
	program, err := os.Executable()
	if err != nil {
		return gpu{}, fmt.Errorf("finding this program: %w", err)
	}
	if cuda.Built {
		return askCUDA(ctx, program, index)
	}
	beside, ok := cudaProgram(program)
	if !ok {
		_, err := cuda.Open(index) // says how to build it
		return gpu{}, err
	}
	return askCUDA(ctx, beside, index)
}

// askCUDA asks a program built with CUDA for the GPU with this index. The driver
// may take its time, but not for ever.
func askCUDA(ctx context.Context, program string, index int) (gpu, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "device", "--index", strconv.Itoa(index))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	if ctx.Err() != nil {
		return gpu{}, fmt.Errorf("the driver does not answer: %w", ctx.Err())
	}
	var found gpu
	if err == nil {
		err = json.Unmarshal(stdout, &found)
	} else {
		printed := errors.New(string(stdout) + stderr.String())
		if said := InWords(printed); said != printed {
			return found, said
		}
		err = errors.New(strings.TrimPrefix(firstLine(stderr.String(), string(stdout), err.Error()), "error: "))
	}
	return found, err
}

// firstLine is the first line of the first text that has one.
func firstLine(texts ...string) string {
	for _, t := range texts {
		if line, _, _ := strings.Cut(strings.TrimSpace(t), "\n"); line != "" {
			return line
		}
	}
	return ""
}

// InWords puts an error of a program built with CUDA that did not start into
// words; other errors stay as they are. Where the driver can't be initialised,
// package cu prints a code and ends the program before main runs.
func InWords(err error) error {
	if err == nil {
		return nil
	}
	if strings.Contains(err.Error(), "libcuda.so") {
		return errNoDriver
	}
	_, said, ok := strings.Cut(err.Error(), "Error in initialization")
	if !ok {
		return err
	}
	_, code, _ := strings.Cut(said, "details on: ")
	code, _, _ = strings.Cut(strings.TrimSpace(code), " ")
	if code == "NoDevice" {
		return errNoDevice
	}
	return &driverError{code}
}

var (
	errNoDriver = errors.New("there is no NVIDIA driver (libcuda.so.1 is missing)")
	errNoDevice = errors.New("the NVIDIA driver finds no GPU")
)

// A driverError is the driver's code for why it can't be initialised.
type driverError struct{ code string }

func (e *driverError) Error() string {
	return "the NVIDIA driver can't be initialised: " + e.code
}

// ExplainGPU is inWords for what ends a sweep, with a remedy.
func ExplainGPU(err error) error {
	if said := InWords(err); said != err {
		return command.WithHint(fmt.Errorf("no GPU answers any more: %w", said), seeDoctor)
	}
	return err
}

const seeDoctor = "spmvtune doctor says what was found"
