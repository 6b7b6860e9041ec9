package analysis

import (
	"cmp"
	"fmt"
	"slices"

	"spmvtune/internal/base/term"
	"spmvtune/tuner/trial"
)

// busy says where others used the processor so much that they are in the times.
func (s *scene) busy() string {
	all := s.report.Crowds()
	all = slices.DeleteFunc(all, func(c Crowd) bool { return c.Device != s.condition.Device })
	crowded := slices.DeleteFunc(slices.Clone(all), func(c Crowd) bool { return !c.Crowded() })
	if len(crowded) == 0 {
		return ""
	}
	worst := slices.MaxFunc(crowded, func(a, b Crowd) int { return cmp.Compare(a.Excess(), b.Excess()) })
	return fmt.Sprintf("The processor was busy on %d of %s, at worst on %s: %s. %s.",
		matricesOf(crowded), term.GroupedCount(matricesOf(all), "matrix", "matrices"), worst.Matrix, worst.HostUse,
		trial.HostRemedy(s.report.IsGPU(worst.Device)))
}

// matricesOf counts the matrices, each once in however many sweeps it was measured.
func matricesOf(list []Crowd) int {
	names := map[string]bool{}
	for _, c := range list {
		names[c.Matrix] = true
	}
	return len(names)
}
