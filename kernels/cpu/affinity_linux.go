// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// allowedCPUs returns the processors that this process may use, in ascending
// order; nil if the system does not say. The mask is read once, before any
// thread is pinned.
var allowedCPUs = sync.OnceValue(threadCPUs)

// threadCPUs returns those that the calling thread may use.
func threadCPUs() []int {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil
	}
	var cpus []int
	for cpu := 0; len(cpus) < set.Count(); cpu++ {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}

// pin keeps the calling thread on the given processors. A system that refuses
// leaves the thread free, which costs speed and nothing else.
func pin(cpus []int) {
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	_ = unix.SchedSetaffinity(0, &set)
}

// Of linux/futex.h, for a process's own memory.
const (
	futexWait = 128
	futexWake = 129
)

// sleepWhile lets the thread sleep while *at is 1, until wake or a signal.
func sleepWhile(at *atomic.Uint32) {
	unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(at)), futexWait, 1, 0, 0, 0)
}

// wake ends the sleep of one thread.
func wake(at *atomic.Uint32) {
	unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(at)), futexWake, 1, 0, 0, 0)
}
