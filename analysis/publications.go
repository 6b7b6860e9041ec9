package analysis

import (
	"cmp"
	"strings"
	"sync"

	"spmvtune/analysis/claims"
	"spmvtune/kernels"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

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
	matrix := cmp.Or(d.originals[r.Matrix], r.Matrix)
	p, found := publications()[publicationKey{matrix, r.Kernel, r.Precision}]
	if !found || p.gflops == 0 && (p.seconds == 0 || p.Caveat != "") {
		return nil
	}
	return &p
}

// As returns the trial that would have had the published throughput.
func (p *Publication) As(r *store.Row) *store.Row {
	s := *r
	gflops := p.gflops
	if gflops == 0 {
		gflops = 2e-9 * float64(r.NNZ) / p.seconds
	}
	factor := gflops / r.GFLOPS
	s.GFLOPS, s.GBPS, s.RoofFraction = gflops, r.GBPS*factor, r.RoofFraction*factor
	s.Time = r.Time / factor
	s.Another = trial.Interval{Low: s.Time, High: s.Time}
	return &s
}
