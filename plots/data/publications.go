package data

import (
	"strings"
	"sync"

	"spmvtune/kernels"
	"spmvtune/plots/published"
	"spmvtune/store"
)

// A Publication is a paper's result for one kernel on one matrix.
type Publication struct {
	Paper, Device string
	Gflops        float64 // two operations per nonzero; 0: only the time is known
	seconds       float64 // the time of a product; 0: not published
	Block         int     // threads per block of the best; 0: not said
	Caveat        string  // "" for none
}

type publicationKey struct {
	matrix, kernel string
	precision      kernels.Precision
}

// publications are those of which a throughput can be told, by matrix, kernel and
// precision. Where several papers, or a paper twice, have one, the first counts.
var publications = sync.OnceValue(func() map[publicationKey]Publication {
	found := map[publicationKey]Publication{}
	for _, r := range published.Results() {
		key := publicationKey{r.Matrix, r.Kernel, r.Precision}
		p, seen := found[key]
		if seen && (p.Paper != r.Paper || p.Device != r.Device) {
			continue
		}
		switch {
		case r.Metric == "throughput":
			p.Gflops = r.Value
		case strings.HasSuffix(r.Metric, "bandwidth") && strings.Contains(r.Caveat, "24 bytes per nonzero"):
			p.Gflops = r.Value / 12 // two operations for 24 bytes
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

// PublishedFor returns what a paper found for the kernel of r on its matrix, nil where
// none did. A twin has the numbers of the matrix that it stands for. A time with a caveat
// gives no throughput: it is of a run that did not have all nonzeros, and nobody can tell
// how many it had.
func PublishedFor(r *store.Row) *Publication {
	if r == nil {
		return nil
	}
	p, found := publications()[publicationKey{strings.TrimSuffix(r.Matrix, " (twin)"), r.Kernel, r.Precision}]
	if !found || p.Gflops == 0 && (p.seconds == 0 || p.Caveat != "") {
		return nil
	}
	return &p
}

// As gives the trial that would have had the published throughput.
func (p *Publication) As(r *store.Row) *store.Row {
	s := *r
	gflops := p.Gflops
	if gflops == 0 {
		gflops = 2e-9 * float64(r.NNZ) / p.seconds
	}
	factor := gflops / r.GFLOPS
	s.GFLOPS, s.GBPS, s.RoofFraction = gflops, r.GBPS*factor, r.RoofFraction*factor
	s.Median = r.Median / factor
	s.Low, s.High = s.Median, s.Median
	return &s
}
