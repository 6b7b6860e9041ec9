package trial

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"spmvtune/kernels"
)

// Identity returns the identity of a trial: a digest of all that its result depends on,
// the version of the measurement included (0 where it is not known). The sweep's name, the
// matrix's name and the path it was read from are not part of it: the same experiment,
// asked for twice, is measured once. A changed matrix or kernel is another experiment.
func Identity(t Trial, dev kernels.Device, source, protocol string, measurement int) string {
	h := sha256.New()
	parts := []string{
		"trial 1", // raise when the meaning of a part changes
		t.Matrix, t.Kernel, source, string(t.Precision),
		fmt.Sprint(t.Block), fmt.Sprint(t.Grid), t.Params.String(), string(t.Cache),
		dev.Backend, dev.Name, dev.Driver, protocol,
	}

	if measurement > 1 { // older identities do not name their version
		parts = append(parts, fmt.Sprint("measurement ", measurement))
	}

	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s\n", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
