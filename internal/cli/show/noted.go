package show

import (
	"fmt"

	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// Noted says what about a run needs to be known, while it goes on: an own kernel that does not compile, a memory
// whose bandwidth is not known, a busy processor. It is "" for other events.
func Noted(e tuner.Event) string {
	switch {
	case e.Unbuilt != nil:
		return unbuilt(*e.Unbuilt)
	case e.Roofless != nil:
		return fmt.Sprintf("the bandwidth of the memory is not known, and results are not compared with it: %v", e.Roofless)
	case e.Crowded != nil:
		return fmt.Sprintf("the processor is busy: %s. %s", e.Crowded.HostUse, trial.HostRemedy(e.Crowded.Launching))
	}
	return ""
}
