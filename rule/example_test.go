// SPDX-License-Identifier: Apache-2.0

package rule_test

import (
	"fmt"
	"log"
	"strings"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/rule"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/sparse/file"
)

// A program reads a matrix and chooses a kernel for it by a rule: the rule.json of a run, or one that is embedded.
func ExampleRule_Select() {
	r, _, err := rule.Open("h100")
	if err != nil {
		log.Fatal(err)
	}
	// file.Read reads a file; this one is a text.
	m, err := file.Decode(strings.NewReader("%%MatrixMarket matrix coordinate real symmetric\n"+
		"3 3 4\n1 1 2\n2 1 -1\n2 2 2\n3 3 1\n"), "small.mtx", file.DefaultOptions)
	if err != nil {
		log.Fatal(err)
	}
	features := sparse.Analyze(m.A)

	choice, err := r.Select(rule.Key{Precision: kernels.Float32}, features, rule.Wanted{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(features.Rows, "rows,", features.Nonzeros, "nonzeros")
	fmt.Println(choice.Kernel != "", choice.Block > 0, choice.Expected > 0.5)
	// Output:
	// 3 rows, 5 nonzeros
	// true true true
}
