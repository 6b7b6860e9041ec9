// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/mattn/go-sqlite3"
	"github.com/spf13/cobra"

	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/internal/cli/matrix"
	"example.org/spmvtune/internal/cli/show"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/kernels/cpu"
	"example.org/spmvtune/kernels/custom"
	"example.org/spmvtune/tuner/hardware"
)

// doctorCommand is the command doctor.
type doctorCommand struct {
	output    command.Output
	bandwidth bool
}

func newDoctor() *cobra.Command {
	var d doctorCommand
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check what this machine offers, and what is missing",
		Long: `doctor says which processor, GPUs, scheduler and cache there are, or why there are none. With
--bandwidth it measures the bandwidth of the memory as well, which takes seconds on an idle
processor.`,
		Example: `  spmvtune doctor
  spmvtune doctor --bandwidth
  spmvtune doctor --json`,
		Args: cobra.NoArgs,
		RunE: d.Run,
	}
	d.output.Flags(cmd)
	cmd.Flags().BoolVar(&d.bandwidth, "bandwidth", false, "measure the bandwidth of the memory as well")
	return cmd
}

// Run examines the machine.
func (d *doctorCommand) Run(cmd *cobra.Command, _ []string) error {
	found := examine(cmd.Context(), d.bandwidth, cmd.ErrOrStderr())
	return d.output.Print(cmd.OutOrStdout(), found, found.print)
}

func (d *diagnosis) print(w io.Writer) {
	line := func(label, format string, args ...any) {
		fmt.Fprintf(w, "%-10s %s\n", label, term.Hanging(w, fmt.Sprintf(format, args...), 11))
	}
	if c := d.CPU; c != nil {
		line("cpu", "%s, %d cores usable, last-level cache %s, memory %s", c.Name, c.Units, term.Bytes(c.Cache),
			term.Bytes(c.Memory))
		if r := d.Roof; r != nil {
			line("bandwidth", "read %.1f, copy %.1f, triad %.1f GB/s, at random %.2f GB/s of float64 (measured)", r.Read,
				r.Copy, r.Triad, r.Gather)
			if d.Cached != "" {
				line("", "%s", d.Cached)
			}
		}
	} else {
		line("cpu", "%s", d.CPUError)
	}

	line("cuda", "%s", d.CUDA)
	if d.NVML != "" {
		line("nvml", "%s", d.NVML)
	}
	for i, more := range d.More {
		line("", "GPU %d: %s", i+1, more)
	}
	line("slurm", "%s", d.Slurm)
	line("cache", "%s", d.Cache)
	line("versions", "spmvtune %s, %s, SQLite %s", d.Version, d.Go, d.SQLite)
}

// diagnosis is what doctor found.
type diagnosis struct {
	CPU      *kernels.Device `json:"cpu"`
	CPUError string          `json:"cpu_error,omitempty"`
	// Roof is nil unless it was measured.
	Roof *kernels.Roof `json:"bandwidth_gbps,omitempty"`
	// Cached says why the bandwidth may be partly that of the cache; "" if it is not.
	Cached string `json:"bandwidth_note,omitempty"`
	CUDA   string `json:"cuda"`
	// NVML is empty without a GPU.
	NVML string `json:"nvml,omitempty"`
	// More describes the other GPUs.
	More  []string `json:"more_gpus,omitempty"`
	Slurm string   `json:"slurm"`
	// Cache describes the cache of matrices.
	Cache   string `json:"cache"`
	Version string `json:"version"`
	Go      string `json:"go"`
	SQLite  string `json:"sqlite"`
}

func examine(ctx context.Context, bandwidth bool, progress io.Writer) diagnosis {
	sqlite, _, _ := sqlite3.Version()
	d := diagnosis{
		Slurm:   examineSlurm(ctx),
		Cache:   matrix.ExamineCache(),
		Version: command.Version(), Go: runtime.Version(), SQLite: sqlite,
	}

	d.CUDA, d.NVML, d.More = examineCUDA(ctx)

	b, err := cpu.Open()
	if err == nil {
		defer b.Close()
		dev := b.Device()
		d.CPU = &dev
	}
	if err == nil && bandwidth {
		end := show.Long(progress, "measuring the bandwidth of the memory")
		var roof kernels.Roof
		roof, err = b.Roof()
		end()
		d.Roof, d.Cached = &roof, b.Cached()
	}
	if err != nil {
		d.CPU, d.CPUError = nil, err.Error()
	}
	return d
}

// examineCUDA describes the first GPU and its sensors, or says why there are none, and describes the
// other GPUs.
func examineCUDA(ctx context.Context) (device, sensors string, more []string) {
	dev, err := hardware.FindGPU(ctx, 0)
	if err != nil {
		return "none: " + err.Error(), "", nil
	}
	device = fmt.Sprintf("%s, %d multiprocessors, L2 cache %s, memory %s, driver %s",
		dev.Name, dev.Units, term.Bytes(dev.Cache), term.Bytes(dev.Memory), dev.Driver)
	for i := 1; i < dev.Count; i++ {
		if other, err := hardware.FindGPU(ctx, i); err != nil {
			more = append(more, "none: "+err.Error())
		} else {
			more = append(more, other.Name+", "+sensorsOf(other))
		}
	}
	return device, sensorsOf(dev), more
}

// sensorsOf describes the sensors of a GPU, or says why there are none.
func sensorsOf(dev hardware.GPU) string {
	if dev.Sensors == nil {
		return "none: " + dev.NoSensors
	}
	return sensorsText(*dev.Sensors, dev.Properties["nvml_driver"])
}

// sensorsText lists the readings of the sensors that there are.
func sensorsText(r kernels.Reading, driver string) string {
	parts := []string{"driver " + driver}
	add := func(known bool, format string, args ...any) {
		if known {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}

	add(r.SMClock > 0, "SM %d MHz", r.SMClock)
	add(r.MemoryClock > 0, "memory %d MHz", r.MemoryClock)
	add(r.Temperature > 0, "%d °C", r.Temperature)
	add(r.Power > 0, "%.0f W", r.Power)
	add(r.Reasons != 0, "clocks held down by %s", r.Reasons)
	return strings.Join(parts, ", ")
}

// examineSlurm asks sbatch for its version. It does not wait for long.
func examineSlurm(ctx context.Context) string {
	path, err := exec.LookPath("sbatch")
	if err != nil {
		return "none: sbatch is not on the PATH"
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	said, err := custom.Version(ctx, path)
	if err != nil {
		return fmt.Sprintf("%s does not answer: %s", path, term.Visible(err.Error()))
	}
	return strings.TrimSpace(said)
}

// newWorker is the hidden command of the process that measures.
func newWorker() *cobra.Command {
	return &cobra.Command{
		Use:    "worker",
		Short:  "Run measurements for a parent process",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE:   func(*cobra.Command, []string) error { return hardware.ServeWorker(hardware.OpenBackend) },
	}
}

// newDevice is the hidden command by which one binary asks the other which GPU it sees.
func newDevice() *cobra.Command {
	var index int
	cmd := &cobra.Command{
		Use:    "device",
		Short:  "Describe the GPU as JSON",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := hardware.OpenGPU(index)
			if err != nil {
				return err
			}
			return term.WriteJSON(cmd.OutOrStdout(), found)
		},
	}

	cmd.Flags().IntVar(&index, "index", 0, "which GPU")
	return cmd
}
