package cli

import (
	"fmt"

	"spmvtune/internal/term"
	"spmvtune/kernels"
	"spmvtune/kernels/cuda"
	"spmvtune/rule"
	"spmvtune/store/foreign"
)

// changed says whether the kernel of a choice is another one now than when it was
// measured, "" if not. What the sources of the processor's kernels and of vendors'
// libraries are shows only where they run.
func changed(c rule.Choice) string {
	measured := c.Selector.Sources[c.Kernel]
	k, known := kernels.Lookup(c.Kernel)
	switch {
	case measured == "" || measured == foreign.Source:
		return ""
	case !known:
		return fmt.Sprintf("this version of spmvtune has no kernel %s: learn the rule again", c.Kernel)
	case k.Backend == "cuda" && cuda.Source(c.Kernel) != "" && cuda.Source(c.Kernel) != measured:
		return fmt.Sprintf("the source of %s has changed since the rule was learned: measure and learn again", c.Kernel)
	}
	return ""
}

// timeText says how long a product may take, and what that rests on.
func timeText(f *rule.Forecast) string {
	if f == nil {
		return "no time is expected: nothing of such a size was measured with it"
	}
	if f.Matrices == 1 {
		return fmt.Sprintf("time about %s: at the %s GB/s of the one matrix that it was measured on (traffic as in CSR)", term.Seconds(f.Seconds), term.Digits(f.GBPS))
	}
	return fmt.Sprintf("time %s, from %s to %s in %.0f%% of cases: as fast as on %d matrices of the leaf, the nearest in size (%s to %s GB/s, traffic as in CSR)",
		term.Seconds(f.Seconds), term.Seconds(f.Low), term.Seconds(f.High), 100*f.Share(), f.Matrices, term.Digits(f.LowGBPS), term.Digits(f.HighGBPS))
}
