package trial

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"spmvtune/kernels"
)

// Identity returns the identity of a trial: a digest of the content of all that
// its result depends on. The sweep's name, the matrix's name and the path it
// was read from are not among it, so that the same experiment asked for twice
// is measured once; a changed matrix or kernel is another experiment.
func Identity(t Trial, dev kernels.Device, source, protocol string) string {
	h := sha256.New()
	for _, part := range []string{
		"trial 1", // bump when the meaning of a part changes
		t.Matrix, t.Kernel, source, string(t.Precision),
		fmt.Sprint(t.Block), fmt.Sprint(t.Grid), t.Params.String(), string(t.Cache),
		dev.Backend, dev.Name, dev.Driver, protocol,
	} {
		fmt.Fprintf(h, "%d:%s\n", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
