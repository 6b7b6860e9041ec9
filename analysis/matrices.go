// SPDX-License-Identifier: Apache-2.0

package analysis

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"example.org/spmvtune/analysis/claims"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse/generate"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/trial"
)

// Twins says which matrices are twins, made in place of published ones; "" if none is. The
// names of twins say so too, but a reader may overlook that.
func Twins(matrices []trial.Matrix) string {
	var names []string
	for i := range matrices {
		if m := &matrices[i]; m.TwinOf != "" {
			names = append(names, m.TwinOf+localityWords(m, " (", ")"))
			if m.TwinScale != 1 {
				names[len(names)-1] += " " + scaleWords(m.TwinScale)
			}
		}
	}
	const mostNamed = 12
	switch n := len(names); {
	case n == 0:
		return ""
	case n == 1:
		return "A twin, not the real matrix: " + names[0] + "."
	case n > mostNamed:
		return fmt.Sprintf("%d of %d matrices are twins, not the real ones.", n, len(matrices))
	}
	return "Twins, not the real matrices: " + strings.Join(names, ", ") + "."
}

func scaleWords(scale float64) string {
	return "at scale " + strconv.FormatFloat(scale, 'g', -1, 64)
}

// MeasuredWords says what was measured of a matrix.
func MeasuredWords(m *trial.Matrix) string {
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
func localityWords(m *trial.Matrix, before, after string) string {
	_, form, some := strings.Cut(m.Source, "locality=")
	if !some {
		return ""
	}
	return before + strings.TrimRight(form, ")") + " locality" + after
}

// Generated reports whether a generator made the matrix of this name. Twins are generated, too.
func (d *Data) Generated(matrix string) bool {
	m := d.Matrix(matrix)
	generator, args, _ := strings.Cut(m.Source, "(")
	_, known := generate.Lookup(generator)
	return m.TwinOf != "" || known && strings.HasSuffix(args, ")")
}

// A Publication is a paper's result for one kernel on one matrix.
type Publication struct {
	Paper, Device string
	// Block is the number of threads per block of the best configuration; 0 if it was not
	// published.
	Block  int
	Caveat string // A caveat, "" for none.

	gflops  float64 // Two operations per nonzero; 0 if only the time was published.
	seconds float64 // The time of a product, 0 if it was not published.
}

type publicationKey struct {
	matrix, kernel string
	precision      kernels.Precision
}

// publications are the results that give a throughput. Where several papers have one, or one
// paper has several, the first counts.
var publications = sync.OnceValue(func() map[publicationKey]Publication {
	found := map[publicationKey]Publication{}
	for _, r := range claims.PaperResults() {
		key := publicationKey{r.Matrix, r.Kernel, r.Precision}
		p, seen := found[key]
		if seen && (p.Paper != r.Paper || p.Device != r.Device) {
			continue
		}
		switch {
		case r.Metric == "throughput":
			p.gflops = r.Value
		case strings.HasSuffix(r.Metric, "bandwidth") && strings.Contains(r.Caveat, "24 bytes per nonzero"):
			p.gflops = r.Value / 12 // two operations for 24 bytes
		case r.Metric == "time":
			p.seconds = r.Value / 1e3
		case r.Metric == "best threads per block":
			p.Block = int(r.Value)
		default:
			continue
		}
		p.Paper, p.Device = r.Paper, r.Device
		if r.Caveat != "" {
			p.Caveat = r.Caveat
		}
		found[key] = p
	}
	return found
})

// PublishedFor returns what a paper found for the kernel of r on its matrix, nil if no paper
// did. A twin has the numbers of the matrix that it stands for. A time with a caveat gives no
// throughput: its run did not have all nonzeros, and nobody knows how many it had.
func (d *Data) PublishedFor(r *store.Row) *Publication {
	if r == nil {
		return nil
	}
	matrix := cmp.Or(d.Matrix(r.Matrix).TwinOf, r.Matrix)
	p, found := publications()[publicationKey{matrix, r.Kernel, r.Precision}]
	if !found || p.gflops == 0 && (p.seconds == 0 || p.Caveat != "") {
		return nil
	}
	return &p
}

// As returns the trial that would have had the published throughput.
func (p *Publication) As(r *store.Row) *store.Row {
	s := *r
	gflops := cmp.Or(p.gflops, 2e-9*float64(r.NNZ)/p.seconds)
	factor := gflops / r.GFLOPS
	s.GFLOPS, s.GBPS, s.RoofFraction = gflops, r.GBPS*factor, r.RoofFraction*factor
	s.Time = r.Time / factor
	s.Another = trial.Interval{Low: s.Time, High: s.Time}
	return &s
}
