package cuda

import (
	"regexp"
	"strings"
	"testing"
)

// What min_blocks measures is the bound alone: the code of csr_thread_row is the same with each
// and without.
func TestLaunchBoundsShareTheirCode(t *testing.T) {
	for _, form := range []string{"_f32", "_f64", "_shared_f32", "_shared_f64"} {
		want := code(t, "csr_thread_row", form)
		for _, bound := range []string{"_min1", "_min2", "_min3"} {
			if code(t, "csr_thread_row"+bound, form) != want {
				t.Errorf("csr_thread_row%s%s is other code than csr_thread_row%s", bound, form, form)
			}
		}
	}
}

// The kernels that carry a paper's name do what the paper credits to a later one only from
// that one on: the first ones read no memory through the read-only cache, and none prefetches.
func TestPapersForms(t *testing.T) {
	for kernel, readOnly := range map[string]bool{
		"csr_scalar": false, "csr_vector": false, "csr_warp_row_global": false, "csr_warp_row_shuffle": true,
		"csr_thread_row_v1": false, "csr_warp_row_v1": false, "csr_thread_row": true, "csr_warp_row": true,
		"csr_bins": true,
	} {
		for _, suffix := range []string{"_f32", "_f64"} {
			text := code(t, kernel, suffix)
			if got := strings.Contains(text, "ld.global.nc"); got != readOnly {
				t.Errorf("%s%s reads through the read-only cache: %v", kernel, suffix, got)
			}
			if strings.Contains(text, "prefetch") {
				t.Errorf("%s%s prefetches", kernel, suffix)
			}
		}
	}
}

var (
	boundLines = regexp.MustCompile(`\.(maxntid|minnctapersm) .*\n`)
	labels     = regexp.MustCompile(`__BB\d+_`)
)

// code is the PTX of the entry of a name with a suffix, without the name, its launch bounds and
// the number that labels and registers of a file begin with.
func code(t *testing.T, name, suffix string) string {
	t.Helper()
	file := newest(entryFiles()[name+suffix], leastCompute)
	if file == nil {
		t.Fatalf("no entry %s%s", name, suffix)
	}
	_, text, _ := strings.Cut(file.text, ".visible .entry "+name+suffix+"(")
	text, _, _ = strings.Cut(text, "\n}\n")
	text = strings.ReplaceAll(text, name+suffix, "")
	return labels.ReplaceAllString(boundLines.ReplaceAllString(text, ""), "__BB_")
}
