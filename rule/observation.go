package rule

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"spmvtune/kernels"
	"spmvtune/sparse"
	"spmvtune/tuner/trial"
)

// ErrNoData is returned where there is no verified measurement to learn from.
var ErrNoData = errors.New("no verified measurement to learn from")

// An Observation is what became of one configuration on one matrix. There is one of each
// in a place: the trial in force.
type Observation struct {
	Sweep    string // name of the sweep, may be empty
	Device   string
	Hardware Hardware
	Matrix   string // name; all observations with it have the same class and features
	Class    string // structure class, may be empty
	Cache    trial.Cache
	Features *sparse.Features // shared by all observations on the matrix
	Config   kernels.Config   // includes the precision

	// Seconds is the time of a product, and Low and High are the interval in which another run
	// finds it. Both are 0 if there is no interval.
	Seconds, Low, High float64
	// Source is the digest of the kernel's source, "" if it is not known.
	Source string
	// Prepare is the time that it takes, once, to bring the matrix into the form that
	// the kernel needs, in seconds. It is 0 if it is not known.
	Prepare float64
	// Reading is how long it took to compute the features of the matrix, in seconds. It is 0 if
	// it is not known.
	Reading float64
	// Tied says that the samples put it into the tie set of its matrix. If no observation on
	// a matrix is tied, Options decide.
	Tied bool
	// Failed says that the configuration was tried and has no verified time. The
	// times do not count.
	Failed bool
}

func (o *Observation) check() error {
	switch {
	case o.Device == "" || o.Matrix == "" || o.Config.Kernel == "" || o.Config.Precision == "":
		return fmt.Errorf("%s on matrix %q, device %q: device, matrix, kernel and precision must be named",
			o.Config, o.Matrix, o.Device)
	case o.Features == nil:
		return fmt.Errorf("%s on matrix %q: its features are not known", o.Config, o.Matrix)
	case o.Failed:
		return nil
	case !(o.Seconds > 0) || math.IsInf(o.Seconds, 1):
		return fmt.Errorf("%s on matrix %q: %v seconds is not a time", o.Config, o.Matrix, o.Seconds)
	case (o.Low != 0 || o.High != 0) && !(0 < o.Low && o.Low <= o.Seconds && o.Seconds <= o.High &&
		!math.IsInf(o.High, 1)):
		return fmt.Errorf("%s on matrix %q: [%v, %v] is not an interval around %v seconds",
			o.Config, o.Matrix, o.Low, o.High, o.Seconds)
	}
	return nil
}

// subject is what a rule would be asked about.
func (o *Observation) subject() Subject { return Subject{o.Features, o.Hardware} }

// measured reports whether there is a verified time; o may be nil.
func (o *Observation) measured() bool { return o != nil && !o.Failed }

// interval returns the 95% interval, of no width where there is none.
func (o *Observation) interval() (low, high float64) {
	if o.Low == 0 && o.High == 0 {
		return o.Seconds, o.Seconds
	}
	return o.Low, o.High
}

// group sorts observations by key. Keys come in order of device, precision and
// cache state.
func group(obs []Observation) ([]Key, map[Key][]*Observation) {
	groups := make(map[Key][]*Observation)
	var keys []Key
	for i := range obs {
		o := &obs[i]
		k := Key{o.Device, o.Config.Precision, o.Cache}
		if groups[k] == nil {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], o)
	}
	slices.SortFunc(keys, func(a, b Key) int {
		return cmp.Or(cmp.Compare(a.Device, b.Device), cmp.Compare(a.Precision, b.Precision),
			cmp.Compare(a.Cache, b.Cache))
	})
	return keys, groups
}
