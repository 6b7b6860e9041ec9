package cli

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/mattn/go-sqlite3"
	"github.com/spf13/cobra"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/cli/hardware"
	"spmvtune/internal/cli/matrix"
	"spmvtune/internal/term"
	"spmvtune/kernels"
	"spmvtune/kernels/cpu"
)

func newDoctor() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what this machine offers, and what is missing",
		Example: `  spmvtune doctor
  spmvtune doctor --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found := examine(cmd.Context())
			w := cmd.OutOrStdout()
			if asJSON {
				return term.WriteJSON(w, found)
			}
			line := func(label, format string, args ...any) {
				fmt.Fprintf(w, "%-10s %s\n", label, fmt.Sprintf(format, args...))
			}
			if found.CPU != nil {
				line("cpu", "%s, %d cores usable, last-level cache %s, memory %s", found.CPU.Name, found.CPU.Units, term.Bytes(found.CPU.Cache), term.Bytes(found.CPU.Memory))
				line("bandwidth", "read %.1f, copy %.1f, triad %.1f GB/s, at random %.2f GB/s of float64 (measured)",
					found.Roof.Read, found.Roof.Copy, found.Roof.Triad, found.Roof.Gather)
			} else {
				line("cpu", "%s", found.CPUError)
			}
			line("cuda", "%s", found.CUDA)
			if found.NVML != "" {
				line("nvml", "%s", found.NVML)
			}
			line("slurm", "%s", found.Slurm)
			line("cache", "%s", found.Cache)
			line("versions", "spmvtune %s, %s, SQLite %s", found.Version, found.Go, found.SQLite)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// diagnosis is what doctor found.
type diagnosis struct {
	CPU      *kernels.Device `json:"cpu"`
	CPUError string          `json:"cpu_error,omitempty"`
	Roof     kernels.Roof    `json:"bandwidth_gbps"`
	CUDA     string          `json:"cuda"`
	NVML     string          `json:"nvml,omitempty"` // where there is a GPU
	Slurm    string          `json:"slurm"`
	Cache    string          `json:"cache"` // of matrices
	Version  string          `json:"version"`
	Go       string          `json:"go"`
	SQLite   string          `json:"sqlite"`
}

func examine(ctx context.Context) diagnosis {
	sqlite, _, _ := sqlite3.Version()
	d := diagnosis{
		Slurm:   examineSlurm(ctx),
		Cache:   matrix.ExamineCache(),
		Version: command.Version(), Go: runtime.Version(), SQLite: sqlite,
	}
	d.CUDA, d.NVML = examineCUDA(ctx)
	b, err := cpu.Open()
	if err == nil {
		defer b.Close()
		dev := b.Device()
		d.CPU = &dev
		d.Roof, err = b.Roof()
	}
	if err != nil {
		d.CPU, d.CPUError = nil, err.Error()
	}
	return d
}

// examineCUDA names the GPU, or says why there is none, and what its sensors say, or
// why they can't be read.
func examineCUDA(ctx context.Context) (device, sensors string) {
	dev, err := hardware.FindGPU(ctx, 0)
	if err != nil {
		return "none: " + err.Error(), ""
	}
	device = fmt.Sprintf("%s, %d multiprocessors, L2 cache %s, memory %s, driver %s",
		dev.Name, dev.Units, term.Bytes(dev.Cache), term.Bytes(dev.Memory), dev.Driver)
	if dev.Sensors == nil {
		return device, "none: " + dev.NoSensors
	}
	return device, sensorsText(*dev.Sensors, dev.Properties["nvml_driver"])
}

// sensorsText says what sensors tell, and nothing of what they do not.
func sensorsText(r kernels.Reading, driver string) string {
	parts := []string{"driver " + driver}
	add := func(told bool, format string, args ...any) {
		if told {
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

// examineSlurm asks sbatch for its version, and not for long.
func examineSlurm(ctx context.Context) string {
	path, err := exec.LookPath("sbatch")
	if err != nil {
		return "none: sbatch is not on the PATH"
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return fmt.Sprintf("%s does not answer: %v", path, err)
	}
	return strings.TrimSpace(string(out))
}
