package analysis

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"spmvtune/store"
)

// Twins says which matrices are twins, made in place of published ones; "" if none is. The
// names of twins say so too, but a reader may overlook that.
func Twins(matrices []store.Matrix) string {
	byScale := map[float64][]string{}
	n := 0
	for i := range matrices {
		if m := &matrices[i]; m.TwinOf != "" {
			byScale[m.TwinScale] = append(byScale[m.TwinScale], m.TwinOf+localityWords(m, " (", ")"))
			n++
		}
	}

	if n == 0 {
		return ""
	}
	const mostNamed = 12
	if n > mostNamed && (n < len(matrices) || len(byScale) > 4) {
		return fmt.Sprintf("%d of %d matrices are twins, not the real ones.", n, len(matrices))
	}

	var groups []string
	named := n < len(matrices) || n <= 3
	if !named {
		groups = []string{"All matrices are twins, not the real ones"}
	}

	for _, scale := range slices.Backward(slices.Sorted(maps.Keys(byScale))) {
		names := strings.Join(byScale[scale], ", ")
		switch {
		case scale != 1 && len(byScale[scale]) == n && !named:
			groups[0] += ", " + scaleWords(scale)
		case scale != 1:
			groups = append(groups, names+" "+scaleWords(scale))
		case named:
			groups = append(groups, names)
		}
	}

	text := strings.Join(groups, "; ") + "."
	switch {
	case n == 1:
		return "A twin, not the real matrix: " + text
	case named:
		return "Twins, not the real matrices: " + text
	}

	return text
}

func scaleWords(scale float64) string {
	return "at scale " + strconv.FormatFloat(scale, 'g', -1, 64)
}

// MeasuredWords says what was measured of a matrix.
func MeasuredWords(m *store.Matrix) string {
	switch {
	case m.TwinOf == "":
		return "itself"
	case m.TwinScale == 1:
		return "a twin" + localityWords(m, ", ", "")
	default:
		return "a twin " + scaleWords(m.TwinScale) + localityWords(m, ", ", "")
	}
}

// localityWords says which of two forms of a twin was measured, between before and after; ""
// if there was one form. Its source says so.
func localityWords(m *store.Matrix, before, after string) string {
	_, form, some := strings.Cut(m.Source, "locality=")
	if !some {
		return ""
	}
	return before + strings.TrimRight(form, ")") + " locality" + after
}
