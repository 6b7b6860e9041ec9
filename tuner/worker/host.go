// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"example.org/spmvtune/configs"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/trial"
)

// A hostReading says what the processor has done so far, as sums over the cores that this
// process may use; all but Own and Switches since the machine was started.
type hostReading struct {
	Total    float64 // seconds of the cores
	Busy     float64 // seconds in which a core worked for somebody
	Stolen   float64 // seconds in which the hypervisor gave a core to another machine
	Own      float64 // seconds of processor time of this process
	Switches int     // how often the system took a core away from this process
	Load     float64 // load average of the machine, of one minute
}

// readHost reads what the processor has done, where that is in the times: of its own products,
// and of those that it launches one by one on a GPU. Otherwise the reading is zero.
func (w *server) readHost(p configs.Protocol) hostReading {
	if w.backend == nil || w.backend.Device().Backend != "cpu" && p.Launch != kernels.Stream {
		return hostReading{}
	}
	return readHost()
}

// A hostMeter tells what others do during one trial after the other. The system counts in ticks of
// 10 ms, so that a short trial seems to have less time than it used itself, and the next more. What
// others seem to have done less than nothing is owed to the next trials, up to a bound: many short
// trials would seem to have company otherwise.
type hostMeter struct {
	owed float64 // seconds
}

// mostOwed is some ticks of some cores, in seconds.
const mostOwed = 0.1

// use returns the use between two readings.
func (m *hostMeter) use(a, b hostReading) trial.HostUse {
	use := trial.HostUse{
		Cores: b.Total - a.Total, Stolen: max(b.Stolen-a.Stolen, 0), Switches: b.Switches - a.Switches,
		Load: b.Load, Own: b.Own - a.Own,
	}
	others := b.Busy - a.Busy - use.Own - m.owed
	use.Others, m.owed = max(others, 0), min(max(-others, 0), mostOwed)
	return use
}
