package data

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// Twins says in words which of some matrices are twins, made in place of published
// ones, "" where none is. Their names say so too, but a reader may take that for a
// detail.
func Twins(matrices []store.Matrix) string {
	byScale := map[float64][]string{}
	n := 0
	for _, m := range matrices {
		if of, scale := trial.LegacyTwin(m.Source); of != "" {
			byScale[scale] = append(byScale[scale], of)
			n++
		}
	}
	if n == 0 {
		return ""
	}
	const mostNamed = 12
	if n > mostNamed && n < len(matrices) || n > mostNamed && len(byScale) > 4 {
		return fmt.Sprintf("Of %d matrices %d are twins, not the real ones.", len(matrices), n)
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

// MeasuredWords says what of a matrix was measured, by its source.
func MeasuredWords(source string) string {
	of, scale := trial.LegacyTwin(source)
	switch {
	case of == "":
		return "itself"
	case scale == 1:
		return "a twin"
	}
	return "a twin " + scaleWords(scale)
}
