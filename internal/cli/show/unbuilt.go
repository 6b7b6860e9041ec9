package show

import (
	"spmvtune/internal/base/term"
	"spmvtune/tuner"
)

// unbuilt says that an own kernel does not compile.
func unbuilt(u tuner.Unbuilt) string {
	return u.Kernel + " " + u.Reason + ". " + term.Count(u.Configs, "configuration is", "configurations are") +
		" invalid; the other kernels go on"
}
