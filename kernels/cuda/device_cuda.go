//go:build cuda

package cuda

import (
	"fmt"
	"os"
	"regexp"
	"strconv"

	"gorgonia.org/cu"

	"spmvtune/kernels"
)

// Device attributes by their number in cuda.h that cu has no name for.
const sharedPerBlockOptin cu.DeviceAttribute = 97 // CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN

// limits bound what a launch may ask of the device.
type limits struct {
	grid, block    int
	shared         int // bytes per block, static and dynamic, without asking for more
	sharedOptin    int // and after asking
	threadsPerUnit int // resident on a multiprocessor
	compute        int // compute capability, times 10
}

// describe says what the device is and what its launches may ask.
func describe(dev cu.Device) (kernels.Device, limits, error) {
	var failure error
	get := func(a cu.DeviceAttribute) int {
		v, err := dev.Attribute(a)
		if err != nil && failure == nil {
			failure = failed(err, "asking the device for attribute %d", int(a))
		}
		return v
	}

	name, err := dev.Name()
	if err != nil {
		return kernels.Device{}, limits{}, failed(err, "asking for the device's name")
	}
	memory, err := dev.TotalMem()
	if err != nil {
		return kernels.Device{}, limits{}, failed(err, "asking for the device's memory")
	}

	l := limits{
		grid: get(cu.MaxGridDimX), block: get(cu.MaxThreadsPerBlock),
		shared: get(cu.MaxSharedMemoryPerBlock), sharedOptin: get(sharedPerBlockOptin),
		threadsPerUnit: get(cu.MaxThreadsPerMultiprocessor),
		compute:        10*get(cu.ComputeCapabilityMajor) + get(cu.ComputeCapabilityMinor),
	}
	number := func(a cu.DeviceAttribute) string { return strconv.Itoa(get(a)) }
	d := kernels.Device{
		Backend: "cuda", Name: name, Driver: driverVersion(),
		Units: get(cu.MultiprocessorCount), MaxBlock: l.block,
		Memory: memory, Cache: int64(get(cu.L2CacheSize)),
		Properties: map[string]string{
			"compute_capability":       fmt.Sprintf("%d.%d", l.compute/10, l.compute%10),
			"clock_khz":                number(cu.ClockRate),
			"memory_clock_khz":         number(cu.MemoryClockRate),
			"memory_bus_bits":          number(cu.GlobalMemoryBusWidth),
			"ecc":                      number(cu.EccEnabled),
			"shared_bytes_block":       strconv.Itoa(l.shared),
			"shared_bytes_block_optin": strconv.Itoa(l.sharedOptin),
			"shared_bytes_unit":        number(cu.MaxSharedMemoryPerMultiprocessor),
			"registers_unit":           number(cu.MaxRegistersPerMultiprocessor),
			"threads_unit":             strconv.Itoa(l.threadsPerUnit),
		},
	}
	if id, err := dev.UUID(); err == nil {
		d.Properties["uuid"] = "GPU-" + id.String()
	}

	return d, l, failure
}

// driverVersion names the driver, if the system reports it, and the newest CUDA that it runs:
// "535.161.08, CUDA 12.2".
func driverVersion() string {
	v := cu.Version()
	text := fmt.Sprintf("CUDA %d.%d", v/1000, v%1000/10)
	said, _ := os.ReadFile("/proc/driver/nvidia/version")
	if number := regexp.MustCompile(`\d+\.\d+(\.\d+)?`).Find(said); number != nil {
		text = string(number) + ", " + text
	}
	return text
}
