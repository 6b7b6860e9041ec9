// SPDX-License-Identifier: Apache-2.0

// Package clitest runs the tests of commands. A test starts the program as users do; the test
// binary is the program.
package clitest

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse/cache"
	"example.org/spmvtune/tuner/hardware"
)

// Main runs the tests of a package. They can start this binary as "spmvtune", which does what
// program does. Workers on a processor do not measure its bandwidth: that takes most of the time
// of a short sweep.
func Main(m *testing.M, program func(args []string) int) {
	if os.Getenv(cache.Env) == "" {
		os.Setenv(cache.Env, "off") // tests leave the user's cache alone
	}
	if gpus := os.Getenv(fakeGPUs); gpus != "" {
		os.Exit(fakeCUDA(gpus, os.Args[1:]))
	}
	testscript.Main(m, map[string]func(){
		"spmvtune": func() {
			if args := os.Args[1:]; len(args) != 1 || args[0] != "worker" {
				os.Exit(program(args))
			}
			if err := hardware.ServeWorker(open); err != nil {
				os.Exit(1)
			}
		},
	})
}

func open(d configs.Device) (kernels.Backend, error) {
	b, err := hardware.OpenBackend(d)
	if err != nil || d.Backend == "cuda" {
		return b, err
	}
	return knownRoof{b, b.(kernels.Host)}, nil
}

// A knownRoof is a processor whose bandwidth need not be measured.
type knownRoof struct {
	kernels.Backend
	kernels.Host
}

func (knownRoof) Roof() (kernels.Roof, error) {
	return kernels.Roof{Read: 20, Copy: 20, Triad: 20, Gather: 1}, nil
}
