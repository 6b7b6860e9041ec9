package show

import (
	"fmt"

	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// crowded says what others do to the processor, or did, and what would help.
func crowded(c tuner.Crowded, is string) string {
	return fmt.Sprintf("the processor %s busy: %s. %s", is, c.HostUse, trial.HostRemedy(c.Launching))
}
