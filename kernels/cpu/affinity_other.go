// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package cpu

import (
	"sync/atomic"
	"time"
)

// allowedCPUs returns the processors that this process may use, in ascending
// order; nil if the system does not say.
func allowedCPUs() []int { return nil }

// pin keeps the calling thread on the given processors. This system has no way to pin threads,
// so its scheduler places them.
func pin(cpus []int) {}

// sleepWhile returns soon after *at is no longer 1.
func sleepWhile(at *atomic.Uint32) {
	for at.Load() == 1 {
		time.Sleep(50 * time.Microsecond)
	}
}

// wake has nothing to do here.
func wake(at *atomic.Uint32) {}
