// SPDX-License-Identifier: Apache-2.0

package lists

import (
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
)

// The order stays, and what is given is not changed.
func TestLists(t *testing.T) {
	words := []string{"csr", "coo", "CSR", "sell"}
	testkit.EqualLists(t, Of(words, strings.ToUpper), []string{"CSR", "COO", "CSR", "SELL"}, "Of")
	testkit.EqualLists(t, Distinct(words, strings.ToLower), []string{"csr", "coo", "sell"}, "Distinct")
	testkit.Equal(t, Sum(words, func(s string) int { return len(s) }), 13, "Sum")
	testkit.EqualLists(t, Where(words, func(s string) bool { return len(s) == 3 }), []string{"csr", "coo", "CSR"}, "Where")
	groups := Of(Groups(words, strings.ToLower), func(group []string) string { return strings.Join(group, " ") })
	testkit.EqualLists(t, groups, []string{"csr CSR", "coo", "sell"}, "Groups")
	length := Keyed(words, func(s string) (int, string) { return len(s), s })
	testkit.Check(t, len(length) == 2 && length[3] == "CSR" && length[4] == "sell", "Keyed gives %v", length)
	testkit.EqualLists(t, Indices(3), []int{0, 1, 2}, "Indices")
	testkit.EqualLists(t, words, []string{"csr", "coo", "CSR", "sell"}, "what was given")
}
