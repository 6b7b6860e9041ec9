package worker

import (
	"fmt"
	"strings"

	"spmvtune/configs"
)

// ProtocolText returns the canonical form of what a protocol says about a sample. It leaves
// out the cache state, which is part of each trial, and the timeout, which only decides
// whether there is a result.
func ProtocolText(p configs.Protocol) string {
	parts := []string{
		fmt.Sprintf("warmup=%d", p.Warmup),
		fmt.Sprintf("samples=%d..%d", p.Samples[0], p.Samples[1]),
		fmt.Sprintf("target=%g", p.Target),
		fmt.Sprintf("budget=%s", p.Budget),
		fmt.Sprintf("seed=%d", p.Seed),
	}

	parts = append(parts, fmt.Sprintf("launch=%s", p.Launch))
	if p.Slow > 0 {
		parts = append(parts, fmt.Sprintf("slow=%g", p.Slow))
	}
	return strings.Join(parts, " ")
}
