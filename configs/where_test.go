package configs

import (
	"fmt"
	"strings"
	"testing"

	"spmvtune/kernels"
)

// A where has nothing that can take much time or memory.
func TestWhereIsBounded(t *testing.T) {
	zero := variables(nil)
	for _, where := range []string{
		`let a = kernel + kernel; let b = a + a; b == ""`,
		`all(1..1000, all(1..1000, # > 0))`,
		`any([1, 2], # == block)`,
		`block in 1..1000000`,
		`repeat(kernel, 1000000) == ""`,
		strings.Repeat("block > 1 and ", 1000) + "true",
	} {
		if _, err := newFilter(where, zero); err == nil {
			t.Errorf("%.60s is taken", where)
		}
	}
	for _, where := range []string{`block in [32, 64] and max(block, grid) <= rows`, `kernel contains "csr" or nnz % 2 == 0`} {
		if _, err := newFilter(where, zero); err != nil {
			t.Errorf("%s: %v", where, err)
		}
	}
}

// A where that can't be evaluated says where it stands.
func TestWhereDividesByZero(t *testing.T) {
	s, err := Parse("s.toml", []byte(minimal+"where = \"rows % (block - block) == 0\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Kernels[0].Keep(kernels.Config{Kernel: "cpu_csr"}, 9, 9, 9)
	line := strings.Count(minimal, "\n") + 1
	if want := fmt.Sprintf("s.toml:%d: kernel.where: ", line); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s…", err, want)
	}
}
