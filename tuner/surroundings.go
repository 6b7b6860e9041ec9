package tuner

import (
	"maps"
	"slices"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/trial"
	"spmvtune/tuner/worker"
)

// surroundings say how long it takes on a device what surrounds the samples of a trial: to
// prepare, to check, to record. It differs between machines, and between days on one, by
// more than anything else that a plan has to foresee.
type surroundings struct {
	matrices    map[string]float64 // seconds of a trial, the mean of each
	fixed, size float64            // of other matrices: multiples of what is supposed, see around
}

func newSurroundings(list []Timing, p configs.Protocol, dev kernels.Device) surroundings {
	s := surroundings{matrices: map[string]float64{}, fixed: 1, size: 1}
	n, supposed := map[string]float64{}, map[string]float64{} // of the size
	for _, t := range list {
		if t.Seconds > 0 {
			n[t.Matrix]++
			s.matrices[t.Matrix] += t.surrounded(p, dev)
			supposed[t.Matrix] += sized(t.Size, t.Precision, dev)
		}
	}
	var ff, fs, ss, fy, sy float64                  // sums of products of fixed, size and seconds
	for _, m := range slices.Sorted(maps.Keys(n)) { // in order, for the same sums each time
		count := n[m]
		s.matrices[m] = max(s.matrices[m]/count, aside/10)
		fixed, size := aside/s.matrices[m], supposed[m]/count/s.matrices[m] // relative, so that each counts alike
		ff, fs, ss, fy, sy = ff+fixed*fixed, fs+fixed*size, ss+size*size, fy+fixed, sy+size
	}
	if len(n) == 0 {
		return s
	}
	// Least squares, of which neither may be negative.
	det := ff*ss - fs*fs
	switch s.fixed, s.size = (fy*ss-sy*fs)/det, (sy*ff-fy*fs)/det; {
	case !(det > 1e-9*ff*ss): // one size only
		s.fixed = (fy + sy) / (ff + 2*fs + ss)
		s.size = s.fixed
	case s.fixed < 0:
		s.fixed, s.size = 0, sy/ss
	case s.size < 0:
		s.fixed, s.size = fy/ff, 0
	}
	return s
}

// surrounded is what a trial took besides its products and flushes.
func (t Timing) surrounded(p configs.Protocol, dev kernels.Device) float64 {
	products, flushes := float64(p.Warmup+worker.Verifications+t.Samples*max(t.Batch, 1)), 0.0
	if t.Cache == trial.Cold {
		flushes = float64(p.Warmup+t.Samples) * flush(dev)
	}
	return t.Seconds - products*t.Median - flushes
}

// of is about how long what surrounds a trial takes, in seconds: as it did on the same
// matrix, or as its size lets expect.
func (s surroundings) of(t trial.Trial, size trial.Size, dev kernels.Device) float64 {
	if seconds, known := s.matrices[t.Matrix]; known {
		return seconds
	}
	return s.fixed*aside + s.size*sized(size, t.Precision, dev)
}
