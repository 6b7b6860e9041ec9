package worker

import (
	"fmt"
	"strings"

	"spmvtune/configs"
)

// ProtocolText is the canonical form of what a protocol says about a sample.
// The cache state is part of each trial, and the timeout decides only whether
// there is a result, so neither is in it.
func ProtocolText(p configs.Protocol) string {
	parts := []string{
		fmt.Sprintf("warmup=%d", p.Warmup),
		fmt.Sprintf("samples=%d..%d", p.Samples[0], p.Samples[1]),
		fmt.Sprintf("target=%g", p.Target),
		fmt.Sprintf("budget=%s", p.Budget),
		fmt.Sprintf("seed=%d", p.Seed),
	}
	if p.Slow > 0 { // as before there was such a key, if not
		parts = append(parts, fmt.Sprintf("slow=%g", p.Slow))
	}
	return strings.Join(parts, " ")
}
