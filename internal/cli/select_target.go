package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"spmvtune/configs"
	"spmvtune/internal/base/lists"
	"spmvtune/internal/cli/command"
	matrixcmd "spmvtune/internal/cli/matrix"
	"spmvtune/kernels"
	"spmvtune/kernels/cuda"
	"spmvtune/rule"
	"spmvtune/sparse"
	"spmvtune/tuner/matrix"
	"spmvtune/tuner/trial"
)

// describeTarget returns the matrix that an argument of select names, and what is legal on it: one that is read or
// generated, or features alone, which have no hash, took no known time and don't tell.
func describeTarget(ctx context.Context, text, complexMode string) (
	m trial.Matrix, takes func(kernels.Config) bool, err error,
) {
	if first, _, given := strings.Cut(text, "="); given && !strings.ContainsAny(first, ":(/.") {
		if _, err := os.Lstat(text); err != nil {
			m.Name = "the matrix of these features"
			m.Features, err = givenFeatures(text)
			return m, nil, command.Usage(err)
		}
	}

	target := matrixcmd.Target{ComplexMode: complexMode}
	spec, err := target.Spec(text)
	if err != nil {
		return m, nil, err
	}
	m, err = matrix.Describe(ctx, spec)
	load := sync.OnceValue(func() *sparse.CSR[float64] {
		a, _, _ := matrix.Load(ctx, spec) // or nil
		return a
	})
	takes = func(c kernels.Config) bool { return load() != nil && cuda.Legal(load(), c) }
	return m, takes, err
}

// givenFeatures reads features as in rows=1000,cols=1000,nonzeros=5000,row_max=12. All others
// are unknown.
func givenFeatures(text string) (sparse.Features, error) {
	f := sparse.UnknownFeatures()
	given := map[string]bool{}
	for _, field := range strings.Split(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		x, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return f, fmt.Errorf("%q must be NAME=NUMBER, with commas between several", field)
		}
		if err := f.Set(name, x); err != nil {
			if near := configs.Nearest(name, sparse.FeatureNames()); near != "" && near != name {
				err = fmt.Errorf("%w: did you mean %s?", err, near)
			}
			return f, err
		}
		if given[name] {
			return f, fmt.Errorf("%s is given twice", name)
		}
		given[name] = true
	}

	if f.Rows < 0 || f.Cols < 0 || f.Nonzeros < 0 {
		return f, fmt.Errorf("%s: rows, cols and nonzeros are needed", text)
	}
	if float64(f.Nonzeros) > float64(f.Rows)*float64(f.Cols) {
		return f, fmt.Errorf("%d rows × %d columns cannot hold %d nonzeros", f.Rows, f.Cols, f.Nonzeros)
	}
	if f.RowMean != f.RowMean {
		f.RowMean = float64(f.Nonzeros) / float64(max(1, f.Rows))
	}
	return f, nil
}

// keysFor lists the keys to ask a rule for: the named precision and cache state, or each that
// the rule has. note says if the rule is of another device than the named one.
func keysFor(r *rule.Rule, asked rule.Key, precision string) (keys []rule.Key, note string) {
	devices := lists.Distinct(r.Models, func(m rule.Model) string { return m.Device })

	if asked.Device != "" && !slices.Contains(devices, asked.Device) && len(devices) == 1 {
		note = fmt.Sprintf("the rule was learned on %s; on %s another kernel may be faster, and times will differ: "+
			"learn a rule there", devices[0], asked.Device)
		asked.Device = ""
	}

	for _, name := range precisions {
		if precision != "" && precision != name {
			continue
		}
		asked.Precision = kernels.Precision(name)
		for i := range r.Models {
			k := r.Models[i].Key
			k.Device = asked.Device
			if k.Precision == asked.Precision && (asked.Cache == "" || k.Cache == asked.Cache) &&
				!slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
	}

	if len(keys) == 0 {
		keys = []rule.Key{asked} // asking says what the rule has instead
	}
	return keys, note
}
