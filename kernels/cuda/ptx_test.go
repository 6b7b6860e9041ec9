package cuda

import (
	"strconv"
	"strings"
	"testing"

	"spmvtune/kernels"
)

// A device gets the PTX for the newest architecture that it takes, and none that is newer than it.
func TestNewest(t *testing.T) {
	every := []*compiled{{compute: 60}, {compute: 80}, {compute: 90}}
	for _, test := range []struct {
		files         []*compiled
		compute, want int
	}{
		{every, 60, 60}, {every, 75, 60}, {every, 80, 80}, {every, 89, 80}, {every, 90, 90}, {every, 120, 90},
		{every[1:], 75, 0}, {every[1:], 86, 80}, {nil, 90, 0},
	} {
		got := 0
		if c := newest(test.files, test.compute); c != nil {
			got = c.compute
		}
		if got != test.want {
			t.Errorf("of %d files, a device of %d takes the one for %d, want %d", len(test.files), test.compute, got,
				test.want)
		}
	}
}

// The two precisions of a kernel are different entries of one file, which is for the architecture
// that its name says. A kernel for new devices only says so.
func TestPTX(t *testing.T) {
	for _, suffix := range []string{"_f32", "_f64"} {
		if files := entryFiles()["coo_atomic"+suffix]; len(files) != 1 || files[0].file != "ptx/coo_simple.ptx" {
			t.Errorf("coo_atomic%s is in %d files", suffix, len(files))
		}
	}
	for entry, files := range entryFiles() {
		for _, c := range files {
			if !strings.Contains(c.text, "\n.target sm_"+strconv.Itoa(c.compute)+"\n") {
				t.Errorf("%s is not for compute capability %d", c.file, c.compute)
			}
		}
		k, _ := kernels.Lookup(kernelOf(entry))
		least := strconv.Itoa(files[0].compute)
		if words := "compute capability " + least[:1] + "." + least[1:]; least != strconv.Itoa(leastCompute) &&
			!strings.Contains(k.Legal, words) {
			t.Errorf("%s: the catalogue says %q of %s, not that it needs %s", entry, k.Legal, k.Name, words)
		}
	}
}
