package export

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"spmvtune/internal/base/term"
	"spmvtune/store"
)

// A tuningParameter is a parameter in T1. Values is an expression of Python.
type tuningParameter struct {
	Name, Type, Values string
}

// A condition is true of the configurations that were tried. Expression is one of Python.
type condition struct {
	Parameters []string
	Expression string
}

// writeT1 writes the search space of a place in the T1 format of auto-tuners (github.com/odgaard/TuningSchema),
// version 1.0.0: its parameters, and conditions that leave the configurations that were tried.
func writeT1(ctx context.Context, w io.Writer, db *store.DB, f store.Filter) (n Count, err error) {
	s, err := readSpace(ctx, db, f)
	if err != nil {
		return n, err
	}
	n.Written = len(s.points)
	parameters := []tuningParameter{}
	for _, p := range s.parameters {
		kind := "string"
		if _, ok := p.values[0].(int); ok {
			kind = "int"
		}
		parameters = append(parameters, tuningParameter{p.name, kind, "[" + python(p.values...) + "]"})
	}
	return n, term.WriteJSON(w, members{
		{"General", members{{"FormatVersion", 1}, {"TimeUnit", "Milliseconds"}, {"OutputFormat", "JSON"}}},
		{"ConfigurationSpace", members{{"TuningParameters", parameters}, {"Conditions", s.conditions()}}},
		{"Search", members{{"Name", "brute_force"}}},
		{"Budget", []members{{{"Type", "ConfigurationCount"}, {"BudgetValue", len(s.points)}}}},
		{"KernelSpecification", members{
			{"Device", members{{"Name", s.Device}}}, {"Language", "CUDA"}, {"KernelName", kernelName},
			{"KernelFile", kernelName + ".cu"}, {"GlobalSizeType", "CUDA"},
			{"GlobalSize", members{{"X", gridParameter}}}, {"LocalSize", members{{"X", blockParameter}}},
		}},
	})
}

// conditions leave, for each kernel, what was tried of it: the values of each parameter and, if not all combinations
// of these were, a list of the combinations.
func (s *space) conditions() []condition {
	list := []condition{}
	for kernel, points := range s.byKernel() {
		var used, parts []string
		all := 1
		for i, p := range s.parameters[1:] {
			values := distinct(points, i+1)
			all *= len(values)
			if len(values) < len(p.values) {
				used = append(used, p.name)
				parts = append(parts, fmt.Sprintf("%s in [%s]", p.name, python(values...)))
			}
		}
		if all != len(points) {
			used, parts = nil, nil
			for _, p := range s.parameters[1:] {
				used = append(used, p.name)
			}
			var tried []string
			for _, p := range points {
				tried = append(tried, "("+python(p.values[1:]...)+")")
			}
			parts = []string{fmt.Sprintf("(%s) in [%s]", strings.Join(used, ", "), strings.Join(tried, ", "))}
		}
		if len(parts) > 0 {
			list = append(list, condition{append([]string{kernelParameter}, used...),
				fmt.Sprintf("%s != %s or %s", kernelParameter, python(kernel), strings.Join(parts, " and "))})
		}
	}
	return list
}

// byKernel gives the points of each kernel, in the order of their names.
func (s *space) byKernel() func(yield func(string, []point) bool) {
	return func(yield func(string, []point) bool) {
		for rest := s.points; len(rest) > 0; {
			kernel := rest[0].Kernel
			n := slices.IndexFunc(rest, func(p point) bool { return p.Kernel != kernel })
			if n < 0 {
				n = len(rest)
			}
			if !yield(kernel, rest[:n]) {
				return
			}
			rest = rest[n:]
		}
	}
}

// distinct are the values that points have for a parameter.
func distinct(points []point, parameter int) []any {
	var values []any
	for _, p := range points {
		if !slices.Contains(values, p.values[parameter]) {
			values = append(values, p.values[parameter])
		}
	}
	return values
}

// python joins values as literals of Python.
func python(values ...any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		if texts[i] = text(v); v != any(texts[i]) {
			continue // a number
		}
		literal, _ := jsonText(texts[i]) // a text can't fail; Python reads JSON's escapes as they are meant
		texts[i] = string(literal)
	}
	return strings.Join(texts, ", ")
}
