package trial

import (
	"fmt"
	"strings"
)

// A HostUse is what others did to the processor while trials were measured. It is zero where the
// processor is not in the times, and where the system does not tell.
type HostUse struct {
	Cores    float64 `json:"cores,omitzero"`    // seconds of the cores that the worker may use
	Others   float64 `json:"others,omitzero"`   // seconds in which a core worked for another process
	Stolen   float64 `json:"stolen,omitzero"`   // seconds in which the hypervisor gave a core to another machine
	Switches int     `json:"switches,omitzero"` // how often the system took a core away from the worker
	Own      float64 `json:"own,omitzero"`      // seconds of processor time of the worker
	Load     float64 `json:"load,omitzero"`     // the highest load average of the machine, of one minute
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

// Below these, a processor counts as free. Medians then differ as those of two runs on an idle one
// do, see docs/measuring.md. How often the system takes a core away says nothing: where a product
// uses all cores, the program's own threads do that hundreds of times in a second.
const (
	freeOfOthers = 0.1  // share of the cores' time that others take
	freeOfTheft  = 0.01 // share that the hypervisor takes
	enoughCores  = 2.0  // seconds of the cores before anything is said
)

// OthersShare and StolenShare are shares of the cores' time.
func (u HostUse) OthersShare() float64 { return u.Others / max(u.Cores, 1e-9) }
func (u HostUse) StolenShare() float64 { return u.Stolen / max(u.Cores, 1e-9) }

// Crowded reports whether others used the processor so much that they are in the times of its
// products.
func (u HostUse) Crowded() bool {
	return u.Cores >= enoughCores && u.Excess() > 1
}

// Excess is how many times as much others do as on a processor that counts as free.
func (u HostUse) Excess() float64 {
	return max(u.OthersShare()/freeOfOthers, u.StolenShare()/freeOfTheft)
}

// String says what others did, without what is next to nothing.
func (u HostUse) String() string {
	var what []string
	if share := u.OthersShare(); share >= 0.005 {
		what = append(what, fmt.Sprintf("other processes took %.0f%% of its cores", 100*share))
	}
	if share := u.StolenShare(); share >= 0.005 {
		what = append(what, fmt.Sprintf("the hypervisor took %.0f%%", 100*share))
	}
	return fmt.Sprintf("%s (load %.1f)", strings.Join(what, ", "), u.Load)
}

// HostRemedy says what helps where the processor is crowded; launching: with the launches of a GPU.
func HostRemedy(launching bool) string {
	text := "Times scatter and differ from run to run. What helps: fewer jobs at once, another time, or a node of " +
		"your own (Slurm's --exclusive)"
	if launching {
		text += `; launch = "graph", which keeps the processor out of a GPU's times`
	}
	return text
}
