package page

import (
	"slices"

	"spmvtune/analysis"
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
	precision, cache := choice{Name: "precision"}, choice{Name: "cache"}
	for _, s := range d.Setups() {
		if p := string(s.Precision); !slices.Contains(precision.Values, p) {
			precision.Values = append(precision.Values, p)
		}
		if c := string(s.Cache); !slices.Contains(cache.Values, c) {
			cache.Values = append(cache.Values, c)
		}
	}
	slices.Sort(precision.Values)
	return slices.DeleteFunc([]choice{precision, cache}, func(c choice) bool { return len(c.Values) < 2 })
}

// tag is the tag of what is tagged.
func (t *tagged) tag() *tagged { return t }

// turnOn shows the parts of a group that match what is chosen at first. Where none does, report.js shows those that
// match most.
func turnOn[T any, P interface {
	*T
	tag() *tagged
}](d *analysis.Data, group []T) {
	first := map[string]string{}
	for _, s := range switches(d) {
		first[s.Name] = s.Values[0]
	}
	fits := func(have, want string) bool { return have == "" || want == "" || have == want }
	for i := range group {
		t := P(&group[i]).tag()
		t.On = fits(t.Precision, first["precision"]) && fits(t.Cache, first["cache"])
	}
}
