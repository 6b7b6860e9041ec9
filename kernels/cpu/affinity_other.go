//go:build !linux

package cpu

// allowedCPUs returns the processors that this process may use, in ascending
// order; nil if the system does not say.
func allowedCPUs() []int { return nil }

// pin keeps the calling thread on the given processors. This system has no way to pin threads,
// so its scheduler places them.
func pin(cpus []int) {}
