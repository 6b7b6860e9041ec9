package worker

import (
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
)

// A HostReading says what the processor has done so far, as sums over the cores that this
// process may use; all but Own and Switches since the machine was started.
type HostReading struct {
	Total    float64 // seconds of the cores
	Busy     float64 // seconds in which a core worked for somebody
	Stolen   float64 // seconds in which the hypervisor gave a core to another machine
	Own      float64 // seconds of processor time of this process
	Switches int     // how often the system took a core away from this process
	Load     float64 // load average of the machine, of one minute
}

// readHost reads what the processor has done, where that is in the times: of its own products,
// and of those that it launches one by one on a GPU. Otherwise the reading is zero.
func (w *server) readHost(p configs.Protocol) HostReading {
	if w.backend == nil || w.backend.Device().Backend != "cpu" && p.Launch != kernels.Stream {
		return HostReading{}
	}
	return readHost()
}

// A HostUse is what others did to the processor while trials were measured.
type HostUse struct {
	Cores    float64       // seconds of the cores
	Others   float64       // seconds in which a core worked for another process
	Stolen   float64       // seconds in which the hypervisor gave a core to another machine
	Switches int           // how often the system took a core away from the worker
	Own      time.Duration // processor time of the worker
	Load     float64       // the highest load average of the machine, of one minute
}

// until returns the use between two readings.
func (a HostReading) until(b HostReading) HostUse {
	use := HostUse{
		Cores: b.Total - a.Total, Stolen: max(b.Stolen-a.Stolen, 0), Switches: b.Switches - a.Switches,
		Load: b.Load, Own: time.Duration((b.Own - a.Own) * float64(time.Second)),
	}
	use.Others = max(b.Busy-a.Busy-(b.Own-a.Own), 0)
	return use
}

// Add adds o.
func (u *HostUse) Add(o HostUse) {
	u.Cores += o.Cores
	u.Others += o.Others
	u.Stolen += o.Stolen
	u.Switches += o.Switches
	u.Own += o.Own
	u.Load = max(u.Load, o.Load)
}

// Below these, a processor counts as free. Two trials of one configuration then differ as they
// do on an idle one.
const (
	freeOfOthers   = 0.05 // share of the cores' time that others take
	freeOfTheft    = 0.01 // share that the hypervisor takes
	freeOfSwitches = 50   // switches in a second of the worker's processor time
	enoughCores    = 2.0  // seconds of the cores before anything is said
)

// OthersShare and StolenShare are shares of the cores' time.
func (u HostUse) OthersShare() float64 { return u.Others / max(u.Cores, 1e-9) }
func (u HostUse) StolenShare() float64 { return u.Stolen / max(u.Cores, 1e-9) }

// SwitchRate is how often the system took a core away from the worker, in a second of its
// processor time.
func (u HostUse) SwitchRate() float64 { return float64(u.Switches) / max(u.Own.Seconds(), 1e-9) }

// Crowded reports whether others used the processor so much that they are in the times of its
// products.
func (u HostUse) Crowded() bool {
	if u.Cores < enoughCores {
		return false
	}
	return u.OthersShare() > freeOfOthers || u.StolenShare() > freeOfTheft || u.SwitchRate() > freeOfSwitches
}
