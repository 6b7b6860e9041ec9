// SPDX-License-Identifier: Apache-2.0

package clitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/hardware"
	"example.org/spmvtune/tuner/worker"
)

// fakeGPUs makes the test binary a program that is built with CUDA, see WithGPUs.
const fakeGPUs = "SPMVTUNE_TEST_GPUS"

// WithGPUs returns this binary as a program with one beside it that is built with CUDA, on a machine with as
// many GPUs as gpus says. With "2 broken" the second fails once the first has begun, and with "2 mixed" it is
// of another model. With "1 by task" it is so in task 1 of an array.
func WithGPUs(tb testing.TB, gpus string) (program string) {
	tb.Helper()
	bin := tb.TempDir()
	program = filepath.Join(bin, "spmvtune")
	self, err := os.Executable()
	if err == nil {
		err = exec.Command("cp", self, program).Run()
	}
	if err != nil {
		tb.Fatal(err)
	}
	// A run of a cluster copies the one beside it, too.
	script := fmt.Sprintf("#!/bin/bash\n%s='%s' %s_LOCK='%s' exec -a spmvtune \"${0%%/*}/spmvtune\" \"$@\"\n",
		fakeGPUs, gpus, fakeGPUs, filepath.Join(tb.TempDir(), "lock"))
	testkit.Succeed(tb, os.WriteFile(filepath.Join(bin, "spmvtune-cuda"), []byte(script), 0o777))
	return program
}

// fakeCUDA is what such a program does.
func fakeCUDA(gpus string, args []string) int {
	count, how, _ := strings.Cut(gpus, " ")
	n, _ := strconv.Atoi(count)
	open := func(d configs.Device) (kernels.Backend, error) {
		if d.Index >= n {
			return nil, fmt.Errorf("there is no GPU %d", d.Index)
		}
		return &fakeGPU{index: d.Index, how: how}, nil
	}
	var err error
	if args[0] == "worker" {
		requests, replies := worker.Pipes()
		err = worker.Serve(requests, replies, open)
	} else { // device --index N
		index, _ := strconv.Atoi(args[2])
		var b kernels.Backend
		if b, err = open(configs.Device{Index: index}); err == nil {
			err = json.NewEncoder(os.Stdout).Encode(hardware.GPU{Device: b.Device(), Count: n})
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	return 0
}

// A fakeGPU computes on the processor.
type fakeGPU struct {
	index int
	how   string
	p     *kernels.Problem
	y     []float64
}

// breaks says that GPU 1 fails, after a trial of GPU 0 and long before its last.
func (g *fakeGPU) breaks() bool { return g.how == "broken" }

func (g *fakeGPU) Device() kernels.Device {
	d := kernels.Device{Backend: "cuda", Name: "NVIDIA H100 of tests", Driver: "1", Units: 4, MaxBlock: 1024,
		Properties: map[string]string{"uuid": fmt.Sprintf("GPU-%d", g.index)}}
	if g.how == "mixed" && g.index == 1 || g.how == "by task" && os.Getenv("SLURM_ARRAY_TASK_ID") == "1" {
		d.Name = "NVIDIA A30 of tests"
	}
	return d
}

// Energy is not counted.
func (g *fakeGPU) Energy() float64 { return 0 }

func (g *fakeGPU) Sense() (kernels.Reading, error) {
	return kernels.Reading{SMClock: 1980 - g.index, HasReasons: true}, nil
}
func (g *fakeGPU) Source(kernel string) string   { return kernel }
func (g *fakeGPU) Load(p *kernels.Problem) error { g.p = p; return nil }
func (g *fakeGPU) Info() kernels.ProductInfo {
	return kernels.ProductInfo{BytesFormat: 100, BytesKernel: 200}
}
func (g *fakeGPU) Close() error                                                     { return nil }
func (g *fakeGPU) Prepare(kernels.Config, kernels.Options) (kernels.Product, error) { return g, nil }
func (g *fakeGPU) Roof() (kernels.Roof, error) {
	if g.breaks() && g.index == 1 {
		for _, err := os.Stat(g.lock() + ".begun"); err != nil; _, err = os.Stat(g.lock() + ".begun") {
			time.Sleep(time.Millisecond)
		}
		return kernels.Roof{}, errors.New("the GPU has fallen off the bus")
	}
	return kernels.Roof{Read: 10, Copy: 10, Triad: 10}, nil
}

// lock is how the names of files begin that say what the devices do.
func (g *fakeGPU) lock() string { return os.Getenv(fakeGPUs + "_LOCK") }

// Multiply fails where another trial is on the device.
func (g *fakeGPU) Multiply(x []float64) error {
	if x == nil {
		x = g.p.X
	}
	g.y = make([]float64, g.p.A.Rows)
	y := g.y
	if g.breaks() {
		if err := os.WriteFile(g.lock()+".begun", nil, 0o666); err != nil {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
	lock := fmt.Sprintf("%s.%d", g.lock(), g.index)
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer os.Remove(lock)
	defer f.Close()
	time.Sleep(5 * time.Millisecond)
	for i := range y {
		y[i] = 0
		cols, vals := g.p.A.Row(i)
		for k, c := range cols {
			y[i] += vals[k] * x[c]
		}
	}
	return nil
}

func (g *fakeGPU) Poison() error { return nil }

func (g *fakeGPU) Result(y []float64) error {
	copy(y, g.y)
	return nil
}

func (g *fakeGPU) Rows(rows []int, y []float64) error {
	for k, i := range rows {
		y[k] = g.y[i]
	}
	return nil
}

func (g *fakeGPU) Sample(dst []float64, _ int, _ bool) error {
	for i := range dst {
		dst[i] = 1e-3 + float64(i)*1e-6
	}
	return nil
}
