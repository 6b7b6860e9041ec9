// SPDX-License-Identifier: Apache-2.0

package page

import (
	"slices"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
)

// A tagged part of the page is shown for one precision or state of the caches; "" stands for all
// of them.
type tagged struct {
	Precision, Cache string
	On               bool // It is shown at first.
}

func tagsOf(s analysis.Setup) tagged {
	return tagged{Precision: string(s.Precision), Cache: string(s.Cache)}
}

// A choice is a switch of the page: what it chooses, and its values, the first of which is chosen.
type choice struct {
	Name   string
	Values []string
}

// switches returns a switch for the precision and one for the caches, where there are several.
func switches(d *analysis.Data) []choice {
	setups := d.Setups()
	precision := choice{"precision", lists.Distinct(setups, func(s analysis.Setup) string { return string(s.Precision) })}
	cache := choice{"cache", lists.Distinct(setups, func(s analysis.Setup) string { return string(s.Cache) })}
	slices.Sort(precision.Values)
	return slices.DeleteFunc([]choice{precision, cache}, func(c choice) bool { return len(c.Values) < 2 })
}

// tag is the tag of what is tagged.
func (t *tagged) tag() *tagged { return t }

// turnOn shows the parts of a group that match what is chosen at first. Where none does, it shows the first, and
// report.js those that match most.
func turnOn[T any, P interface {
	*T
	tag() *tagged
}](d *analysis.Data, group []T) {
	first := lists.Keyed(switches(d), func(s choice) (string, string) { return s.Name, s.Values[0] })
	fits := func(have, want string) bool { return have == "" || want == "" || have == want }
	shown := false
	for i := range group {
		t := P(&group[i]).tag()
		t.On = fits(t.Precision, first["precision"]) && fits(t.Cache, first["cache"])
		shown = shown || t.On
	}
	if !shown && len(group) > 0 {
		P(&group[0]).tag().On = true
	}
}
