// SPDX-License-Identifier: Apache-2.0

package hardware

import (
	"errors"
	"strings"
	"testing"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/testing/testkit"
)

// What the driver's library prints where there is no GPU is never what a user
// reads.
func TestInWords(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"error: the NVIDIA driver finds no GPU\n", "the NVIDIA driver finds no GPU"},
		{"opening the device: the NVIDIA driver can't be initialised: mismatch (X)\nhint: y",
			"the NVIDIA driver can't be initialised: mismatch (X)"},
		{"opening the device: there is no NVIDIA driver (libcuda.so.1 is missing)",
			"there is no NVIDIA driver (libcuda.so.1 is missing)"},
		{"x: error while loading shared libraries: libcuda.so.1: cannot open shared object file",
			"there is no NVIDIA driver (libcuda.so.1 is missing)"},
		{"disk full", "disk full"},
	} {
		testkit.Equal(t, InWords(errors.New(tt.in)).Error(), tt.want, "%s\nbecomes", tt.in)
	}
	testkit.Check(t, InWords(nil) == nil && ExplainGPU(nil) == nil, "no error became one")
}

// A sweep for a GPU that is not here says so, with what to do; one for the
// processor does not ask for a GPU at all.
func TestPartsWithoutGPU(t *testing.T) {
	if _, err := FindGPU(t.Context(), 0); err == nil {
		t.Skip("there is a GPU")
	}
	sweep := &configs.Sweep{Kernels: []configs.Space{{Kernels: []string{"coo_atomic"}}}}
	list, err := Parts(t.Context(), sweep)
	testkit.Require(t, len(list) == 0 && err != nil, "%d parts, error %v", len(list), err)
	testkit.Says(t, "the error", err.Error(), "this sweep needs a GPU (coo_atomic) and none answers: ", "; run it where there is one")
	var hinted *term.Hinted
	testkit.Check(t, errors.As(err, &hinted) && strings.HasPrefix(hinted.Hint, "spmvtune doctor"),
		"the hint is %+v", hinted)
	sweep.Kernels[0].Kernels = append(sweep.Kernels[0].Kernels, "cpu_csr")
	if list, err = Parts(t.Context(), sweep); len(list) != 1 || list[0].Device.Backend != "cpu" || err == nil {
		t.Errorf("mixed: %d parts, error %v", len(list), err)
	}
	sweep.Kernels[0].Kernels = []string{"cpu_csr"}
	if list, err = Parts(t.Context(), sweep); len(list) != 1 || err != nil {
		t.Errorf("for the processor: %d parts, error %v", len(list), err)
	}
}
