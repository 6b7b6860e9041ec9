// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// A worker has a process group of its own, so that Ctrl-C reaches only the parent, which lets the running trial end. One
// that is paused while its parent is killed goes on, whoever adopts it, and ends.
var apart = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGCONT}

// ticksPerSecond is the unit of /proc/stat: USER_HZ, which is 100 on all architectures of Go.
const ticksPerSecond = 100

// usable are the cores that this process may use, from before it pinned any of its threads.
var usable = func() (cores unix.CPUSet) {
	if unix.SchedGetaffinity(0, &cores) != nil {
		cores.Zero()
	}
	return cores
}()

// readHost reads what the processor has done so far. What can't be read is 0.
func readHost() (r hostReading) {
	var own unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &own) == nil {
		r.Own = float64(own.Utime.Nano()+own.Stime.Nano()) / 1e9
		r.Switches = int(own.Nivcsw)
	}

	if text, err := os.ReadFile("/proc/stat"); err == nil {
		r.addCores(string(text), usable.IsSet)
	}
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		r.Load, _ = strconv.ParseFloat(strings.Fields(string(text) + " ")[0], 64)
	}
	return r
}

// addCores adds the lines of cores in /proc/stat, of those that this process may use:
//
//	cpu0 user nice system idle iowait irq softirq steal guest guest_nice
//
// The guests' time is in user and nice, too.
func (r *hostReading) addCores(stat string, mine func(core int) bool) {
	for line := range strings.Lines(stat) {
		fields := strings.Fields(line)
		if len(fields) < 9 {
			continue
		}
		core, err := strconv.Atoi(strings.TrimPrefix(fields[0], "cpu"))
		if err != nil || !mine(core) {
			continue
		}
		for i, field := range fields[1:9] {
			ticks, _ := strconv.ParseFloat(field, 64)
			seconds := ticks / ticksPerSecond
			r.Total += seconds
			switch i {
			case 3, 4: // idle, iowait
			case 7:
				r.Stolen += seconds
			default:
				r.Busy += seconds
			}
		}
	}
}
