package configs

import (
	"strings"
	"testing"
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
