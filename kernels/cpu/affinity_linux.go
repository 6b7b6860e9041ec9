package cpu

import (
	"sync"

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
