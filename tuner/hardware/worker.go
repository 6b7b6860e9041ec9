package hardware

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"

	"spmvtune/configs"
	"spmvtune/internal/base/term"
	"spmvtune/kernels"
	"spmvtune/kernels/cpu"
	"spmvtune/kernels/cuda"
	"spmvtune/tuner/worker"
)

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
		if beside, ok := cudaProgram(program); ok {
			program = beside
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
		return cuda.Open(d.Index)
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
	var names []string
	for _, space := range sweep.Kernels {
		names = append(names, space.Kernels...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
