package matrix

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"spmvtune/sparse"
)

// A featureGroup is a line of the page of `matrix info`.
type featureGroup struct {
	label string
	items []string // The names and values.
}

// featureTable groups features by their names in JSON. The prefix is not printed, because the
// label says it. Features without a group come last.
var featureTable = []struct {
	label, prefix string
	names         []string
}{
	{"row length", "row_", []string{"row_mean", "row_std", "row_min", "row_p25", "row_median", "row_p75", "row_p90",
		"row_p99", "row_max", "row_skewness", "row_gini", "row_max_over_mean"}},
	{"long rows", "", []string{"share_above_32", "share_above_256", "share_above_1024"}},
	{"empty rows", "empty_rows", []string{"empty_rows"}},
	{"columns", "cols_", []string{"cols_used"}},
	{"bandwidth", "bandwidth", []string{"bandwidth", "bandwidth_mean", "profile", "diagonals"}},
	{"locality", "", []string{"row_span_mean", "col_gap_mean", "neighbour_rate", "row_similarity"}},
	{"symmetry", "", []string{"pattern_symmetry"}},
}

// featureGroups returns the features of f for people, without the sizes.
func featureGroups(f sparse.Features) []featureGroup {
	values := map[string]string{}
	var rest []string
	v := reflect.ValueOf(f)

	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if name == "rows" || name == "cols" || name == "nonzeros" {
			continue
		}
		rest = append(rest, name)
		switch x := v.Field(i).Interface().(type) {
		case float64:
			values[name] = strconv.FormatFloat(x, 'g', 4, 64)
		default:
			values[name] = fmt.Sprint(x)
		}
	}

	var groups []featureGroup
	add := func(label, prefix string, names []string) {
		g := featureGroup{label: label}
		for _, name := range names {
			value, there := values[name]
			if !there {
				continue
			}
			rest = slices.DeleteFunc(rest, func(r string) bool { return r == name })
			words := strings.ReplaceAll(strings.TrimPrefix(name, prefix), "_", " ")
			g.items = append(g.items, strings.TrimSpace(words+" "+value))
		}
		if len(g.items) > 0 {
			groups = append(groups, g)
		}
	}

	for _, t := range featureTable {
		add(t.label, t.prefix, t.names)
	}
	add("others", "", slices.Clone(rest))
	return groups
}
