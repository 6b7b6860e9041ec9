package hardware

import (
	"errors"
	"strings"
	"testing"

	"spmvtune/configs"
	"spmvtune/internal/base/term"
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
		if got := InWords(errors.New(tt.in)); got.Error() != tt.want {
			t.Errorf("%s\nbecomes %s\nwant %s", tt.in, got, tt.want)
		}
	}
	if InWords(nil) != nil || ExplainGPU(nil) != nil {
		t.Error("no error became one")
	}
}

// A sweep for a GPU that is not here says so, with what to do; one for the
// processor does not ask for a GPU at all.
func TestPartsWithoutGPU(t *testing.T) {
	if _, err := FindGPU(t.Context(), 0); err == nil {
		t.Skip("there is a GPU")
	}
	sweep := &configs.Sweep{Kernels: []configs.Space{{Kernels: []string{"coo_atomic"}}}}
	list, err := Parts(t.Context(), sweep)
	if len(list) != 0 || err == nil {
		t.Fatalf("%d parts, error %v", len(list), err)
	}
	for _, want := range []string{"this sweep needs a GPU (coo_atomic) and none answers: ", "; run it where there is one"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
	var hinted *term.Hinted
	if !errors.As(err, &hinted) || !strings.HasPrefix(hinted.Hint, "spmvtune doctor") {
		t.Errorf("the hint is %+v", hinted)
	}
	sweep.Kernels[0].Kernels = append(sweep.Kernels[0].Kernels, "cpu_csr")
	if list, err = Parts(t.Context(), sweep); len(list) != 1 || list[0].Device.Backend != "cpu" || err == nil {
		t.Errorf("mixed: %d parts, error %v", len(list), err)
	}
	sweep.Kernels[0].Kernels = []string{"cpu_csr"}
	if list, err = Parts(t.Context(), sweep); len(list) != 1 || err != nil {
		t.Errorf("for the processor: %d parts, error %v", len(list), err)
	}
}
