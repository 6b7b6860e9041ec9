// SPDX-License-Identifier: Apache-2.0

// Package hardware finds the devices that this program can measure on, itself or through the
// binary built with CUDA beside it, and launches the workers that measure.
package hardware

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/kernels/cpu"
	"example.org/spmvtune/kernels/cuda"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/worker"
)

// A GPU is what one binary tells the other about a GPU.
type GPU struct {
	kernels.Device
	Sensors *kernels.Reading `json:"sensors,omitempty"`
	// NoSensors is why the sensors can't be read.
	NoSensors string `json:"no_sensors,omitempty"`
	// Count is how many GPUs there are.
	Count int `json:"count"`
}

// OpenGPU describes a GPU that this binary can open.
func OpenGPU(index int) (GPU, error) {
	b, err := OpenBackend(configs.Device{Backend: "cuda", Index: index})
	if err != nil {
		return GPU{}, err
	}
	found := GPU{Device: b.Device(), Count: len(cuda.Names())}
	if s, ok := b.(worker.Sensors); ok {
		if r, err := s.Sense(); err != nil {
			found.NoSensors = err.Error()
		} else {
			found.Sensors = &r
		}
	}

	return found, b.Close()
}

// FindGPU describes the GPU, through this program or the one beside it.
func FindGPU(ctx context.Context, index int) (GPU, error) {
	program, err := Program("cuda")
	if err != nil {
		return GPU{}, err
	}
	if own, _ := os.Executable(); !cuda.Built && program == own {
		_, err := cuda.Open(index, false) // says how to build it
		return GPU{}, err
	}
	return askCUDA(ctx, program, index)
}

// Same says why a device is not the one of this machine; nil if it is.
func Same(ctx context.Context, d kernels.Device) error {
	var here kernels.Device
	var err error
	switch d.Backend {
	case "cuda":
		var found GPU
		found, err = FindGPU(ctx, 0)
		here = found.Device
	case "cpu":
		var b kernels.Backend
		if b, err = OpenBackend(configs.Device{Backend: d.Backend}); err == nil {
			here = b.Device()
			err = b.Close()
		}
	default:
		return errors.New("they were imported")
	}
	if err == nil && here.Name != d.Name {
		err = fmt.Errorf("this is %s", here.Name)
	}
	return err
}

// askCUDA asks a program built with CUDA for the GPU with this index.
func askCUDA(ctx context.Context, program string, index int) (GPU, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "device", "--index", strconv.Itoa(index))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()

	if ctx.Err() != nil {
		return GPU{}, fmt.Errorf("the driver does not answer: %w", ctx.Err())
	}
	var found GPU
	if err == nil {
		err = json.Unmarshal(stdout, &found)
	} else {
		printed := errors.New(string(stdout) + stderr.String())
		if said := InWords(printed); said != printed {
			return found, said
		}
		said := cmp.Or(strings.TrimSpace(stderr.String()), strings.TrimSpace(string(stdout)), err.Error())
		said, _, _ = strings.Cut(said, "\n")
		err = errors.New(strings.TrimPrefix(said, "error: "))
	}

	return found, err
}

// Here returns where this process measures: the name of the host, and Slurm's number of the job
// as in the names of journals; "" outside of Slurm.
func Here() (node, job string) {
	node, _ = os.Hostname() // nothing depends on it
	if array, index := os.Getenv("SLURM_ARRAY_JOB_ID"), os.Getenv("SLURM_ARRAY_TASK_ID"); array != "" && index != "" {
		return node, array + "_" + index
	}
	return node, os.Getenv("SLURM_JOB_ID")
}

// assumedUnits is the number of multiprocessors that a plan assumes if neither this machine nor
// the results have a GPU. An H100 has this many.
const assumedUnits = 132

// AssumeGPU returns the last GPU among the devices that are known, or else an assumed one.
func AssumeGPU(known []kernels.Device) *tuner.Assumed {
	a := &tuner.Assumed{
		Device: kernels.Device{
			Backend: "cuda", Name: fmt.Sprintf("GPU of %d multiprocessors", assumedUnits),
			Units: assumedUnits, MaxBlock: 1024,
		},
		Sources: Sources(),
	}
	for _, d := range known {
		if d.Backend == "cuda" {
			a.Device = d
		}
	}
	return a
}

// Sources are the digests of the catalogue's kernels in this program, by name.
func Sources() map[string]string {
	digests := map[string]string{}
	for _, k := range kernels.Catalogue {
		of := cpu.Source
		if k.Backend == "cuda" {
			of = cuda.Source
		}
		digests[k.Name] = of(k.Name)
	}
	return digests
}

// InWords returns of an error what it says of the driver, if it says that no GPU can be used. It returns other errors
// as they are.
func InWords(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if strings.Contains(text, "libcuda.so.1: ") { // the loader's words, of a program that was linked with the driver
		return errors.New(cuda.NoDriver)
	}
	for _, said := range []string{cuda.NoDriver, cuda.NoDevice, cuda.NoStart} {
		if _, more, ok := strings.Cut(text, said); ok {
			more, _, _ = strings.Cut(more, "\n")
			return errors.New(said + more)
		}
	}
	return err
}

// ExplainGPU is InWords with a hint, for errors that end a sweep.
func ExplainGPU(err error) error {
	if said := InWords(err); said != err {
		return term.WithHint(fmt.Errorf("the GPU no longer answers: %w", said), seeDoctor)
	}
	return err
}

const seeDoctor = "spmvtune doctor says what was found"

// ServeWorker measures what the parent process asks for, until the parent closes the pipe.
func ServeWorker(open func(configs.Device) (kernels.Backend, error)) error {
	// Some of these signals reach all processes of a job. The parent handles them and lets the
	// running trial end; the worker ends with the pipe to its parent.
	signal.Ignore(jobSignals...)
	worker.Ahead = cuda.Ahead
	requests, replies := worker.Pipes()
	return worker.Serve(requests, replies, open)
}

// jobSignals are the signals that stop a job, or warn it.
var jobSignals = []os.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM, syscall.SIGXCPU,
}

// LaunchWorker returns a function that prepares a worker for a backend.
func LaunchWorker(backend string) (worker.Launcher, error) {
	program, err := Program(backend)
	return func() *exec.Cmd { return exec.Command(program, "worker") }, err
}

// Program returns the program that opens devices of a backend: this one or, for a GPU, the one
// built with CUDA beside it. If there is none, this one's error says how to build it.
func Program(backend string) (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding this program: %w", err)
	}
	if backend == "cuda" && !cuda.Built {
		resolved, _ := filepath.EvalSymlinks(program)
		beside := filepath.Join(filepath.Dir(cmp.Or(resolved, program)), "spmvtune-cuda")
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
			return beside, nil
		}
	}
	return program, nil
}

// keptShare is the part of free memory that the formats of all GPUs may take on the host, and so may references.
const keptShare = 4

// OpenBackend opens the device that a part of a sweep runs on.
func OpenBackend(d configs.Device) (kernels.Backend, error) {
	if d.Backend == "cuda" {
		most := cpu.FreeMemory() / keptShare / int64(max(len(cuda.Names()), 1))
		cuda.KeepPackings(most)
		worker.KeepReferences(most)
		return cuda.Open(d.Index, false)
	}
	return cpu.OpenShare(cpu.GivenShare(os.Getenv))
}

// Parts splits a sweep by the backends of its kernels. If no GPU answers, it leaves out the
// kernels for a GPU, and missing says why. If nothing is left, missing is the error of a sweep
// that can't run here. Where all GPUs are wanted, it counts them.
func Parts(ctx context.Context, sweep *configs.Sweep) (list []*configs.Sweep, missing error) {
	for _, backend := range sweep.Backends() {
		part := sweep.Only(backend)
		if backend == "cuda" {
			if _, missing = UseGPUs(ctx, &part.Device, 1); missing != nil {
				continue
			}
		}
		list = append(list, part)
	}

	if len(list) == 0 {
		missing = term.WithHint(fmt.Errorf("this sweep needs a GPU (%s) and none answers: %w; run it where "+
			"there is one", term.Some(KernelNames(sweep), 5), missing), seeDoctor)
	}

	return list, missing
}

// UseGPUs describes the first GPU of a sweep, and how many there are. Where all of them are wanted, or n
// from the first on, it says which ones these are.
func UseGPUs(ctx context.Context, d *configs.Device, n int) (GPU, error) {
	found, err := FindGPU(ctx, d.Index)
	if d.All {
		n = found.Count
	}
	if n > 1 && len(d.Indices) == 0 {
		for i := range n {
			d.Indices = append(d.Indices, d.Index+i)
		}
	}
	if last := slices.Max(d.Each()); err == nil && last >= found.Count {
		err = fmt.Errorf("there is no GPU %d: CUDA sees %d", last, found.Count)
	}
	return found, err
}

// KernelNames lists the kernels of a sweep.
func KernelNames(sweep *configs.Sweep) []string {
	names := slices.Concat(lists.Of(sweep.Kernels, func(s configs.Space) []string { return s.Kernels })...)
	slices.Sort(names)
	return slices.Compact(names)
}
