package show

import (
	"fmt"
	"strings"

	"spmvtune/tuner"
)

// crowded says what others do to the processor, or did, and what would help.
func crowded(c tuner.Crowded, is string) string {
	var what []string
	if share := c.OthersShare(); share >= 0.005 {
		what = append(what, fmt.Sprintf("other processes took %.0f%% of its cores", 100*share))
	}
	if share := c.StolenShare(); share >= 0.005 {
		what = append(what, fmt.Sprintf("the hypervisor took %.0f%%", 100*share))
	}
	if rate := c.SwitchRate(); rate >= 1 {
		what = append(what, fmt.Sprintf("the system interrupted the worker %.0f times a second", rate))
	}

	text := fmt.Sprintf("the processor %s busy: %s (load %.1f). Times scatter and differ from run to run. What helps: "+
		"fewer jobs at once, another time, or a node of your own (Slurm's --exclusive)",
		is, strings.Join(what, ", "), c.Load)
	if c.Launching {
		text += `; launch = "graph", which keeps the processor out of a GPU's times`
	}
	return text
}
