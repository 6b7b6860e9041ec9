package code

import (
	"bytes"
	"fmt"
	"strings"

	"spmvtune/kernels"
	"spmvtune/rule"
)

// A pick is what a leaf leads to: a configuration, where a condition holds; "" is always. The last one
// of a leaf has no condition.
type pick struct {
	condition string
	config    kernels.Config
}

// picks are what a leaf leads to, one after the other.
func picks(leaf *rule.Node, feature func(name string) string) []pick {
	var list []pick
	for _, c := range leaf.Ranking() {
		condition := within(c, feature)
		list = append(list, pick{condition, c})
		if condition == "" {
			return list
		}
	}
	if len(list) == 1 {
		return []pick{{"", *leaf.Choice}}
	}
	return append(list, pick{"", *leaf.Choice})
}

// within is the condition, in C and Go, that a matrix is within the limits of a configuration; "": it has none.
func within(c kernels.Config, feature func(name string) string) string {
	var all []string
	for _, l := range rule.Limits(c) {
		var any []string
		for _, sum := range l {
			any = append(any, expression(sum, feature)+" <= 0")
		}
		all = append(all, "("+strings.Join(any, " || ")+")")
	}
	return strings.Join(all, " && ")
}

// expression is a sum as an expression of C and Go, in the order in which it is computed here.
func expression(sum kernels.Sum, feature func(name string) string) string {
	terms := make([]string, len(sum))
	for i, t := range sum {
		factors := []string{number(t.Factor)}
		for _, name := range t.Features {
			factors = append(factors, feature(name))
		}
		terms[i] = strings.Join(factors, "*")
	}
	return strings.Join(terms, " + ")
}

// cLegal writes the array that says which choices of an ensemble are legal.
func (f *function) cLegal(b *bytes.Buffer) {
	fmt.Fprintf(b, "    const int legal[] = {%s};\n", listed(len(f.choices), func(i int) string {
		if condition := within(f.choices[i], pointed); condition != "" {
			return condition
		}
		return "1"
	}))
}

// pointed is a feature of the structure in C.
func pointed(name string) string { return "f->" + name }
