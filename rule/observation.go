// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/trial"
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
	// Tied says that the samples put it into the tie set of its matrix.
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
func (o *Observation) subject() Subject { return Subject{Features: o.Features, Hardware: o.Hardware} }

// measured reports whether there is a verified time; o may be nil.
func (o *Observation) measured() bool { return o != nil && !o.Failed }

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

// Distinct returns the names that observations have, sorted.
func Distinct(obs []Observation, of func(Observation) string) []string {
	return slices.Sorted(slices.Values(lists.Distinct(obs, of)))
}

// FromRows makes observations of trials, failed ones included, but not of kernels whose y nobody sees: no
// rule may choose one. rows and matrices are all that the database has.
func FromRows(ctx context.Context, db *store.DB, rows []store.Row, matrices []trial.Matrix) ([]Observation, error) {
	known := lists.Keyed(lists.Indices(len(matrices)), func(i int) (string, *trial.Matrix) {
		return matrices[i].Name, &matrices[i]
	})
	list, err := db.Kernels(ctx)
	devices, err2 := db.Devices(ctx)
	if err := cmp.Or(err, err2); err != nil {
		return nil, fmt.Errorf("reading observations: %w", err)
	}
	sources := lists.Keyed(list, func(k store.Kernel) (string, string) { return k.Name, k.Digest })
	hardware := lists.Keyed(devices, func(d store.Device) (string, Hardware) { return d.Label, HardwareOf(d.Device) })
	obs := make([]Observation, 0, len(rows))
	for i := range rows {
		row := &rows[i]
		if !row.Verified() {
			continue
		}
		m := known[row.Matrix]
		if m == nil {
			return nil, fmt.Errorf("reading observations: matrix %q has results, but no features", row.Matrix)
		}
		o := Observation{
			Sweep: row.Sweep, Device: row.Device, Hardware: hardware[row.Device], Cache: row.Cache,
			Matrix: row.Matrix, Class: m.Class, Features: &m.Features, Source: sources[row.Kernel],
			Reading: m.FeaturesSeconds, Config: row.Config, Failed: row.Status != trial.OK,
		}
		if !o.Failed { // the others have no times
			o.Seconds, o.Low, o.High, o.Tied, o.Prepare = row.Time, row.Another.Low, row.Another.High, row.Tied, row.Prepare
		}
		obs = append(obs, o)
	}
	return obs, nil
}

// TrainingVersion is that of the format of saved observations.
const TrainingVersion = 1

// training is observations in the form in which they are saved: JSON, in which each matrix, device and
// configuration stands once, compressed by gzip. Times have five digits.
type training struct {
	Version  int              `json:"version"`
	Test     []string         `json:"test,omitempty"` // classes of the final test
	Sweeps   []string         `json:"sweeps"`
	Devices  []trainingDevice `json:"devices"`
	Features []string         `json:"features"` // names of those of a matrix
	Matrices []trainingMatrix `json:"matrices"`
	Configs  []trainingConfig `json:"configs"`
	Trials   []trainingTrial  `json:"trials"`
}

// A trainingTrial is a list: the numbers of its sweep, device, matrix and configuration, the cache state, whether it is
// tied, and the times of a product, of the ends of its interval and of the preparation; no more than the cache state
// where it failed.
type trainingTrial struct {
	sweep, device, matrix, config int
	cache                         trial.Cache
	tied                          int
	seconds, low, high, prepare   float64
	failed                        bool
}

// The lengths of that list.
const failedTrial, wholeTrial = 5, 10

// fields are those of the list.
func (r *trainingTrial) fields() []any {
	return []any{&r.sweep, &r.device, &r.matrix, &r.config, &r.cache, &r.tied, &r.seconds, &r.low, &r.high, &r.prepare}
}

func (r trainingTrial) MarshalJSON() ([]byte, error) {
	list := r.fields()
	if r.failed {
		list = list[:failedTrial]
	}
	return json.Marshal(list)
}

func (r *trainingTrial) UnmarshalJSON(text []byte) error {
	list := r.fields()
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	if len(list) != failedTrial && len(list) != wholeTrial || slices.Contains(list, nil) {
		return fmt.Errorf("%s has not the %d values of a trial, or the first %d of one without a time", text, wholeTrial,
			failedTrial)
	}
	r.failed = len(list) == failedTrial
	return nil
}

type trainingDevice struct {
	Name string `json:"name"`
	Hardware
}

type trainingMatrix struct {
	Name     string     `json:"name"`
	Class    string     `json:"class,omitempty"`
	Features []*float64 `json:"features"` // null: not known
	Reading  float64    `json:"features_s,omitempty"`
}

type trainingConfig struct {
	kernels.Config
	Source string `json:"source,omitempty"`
}

// entryOf returns the place of the entry with a key in a list, which it makes if there is none.
func entryOf[K comparable, V any](at map[K]int, list *[]V, key K, entry func() V) int {
	i, ok := at[key]
	if !ok {
		i = len(*list)
		at[key] = i
		*list = append(*list, entry())
	}
	return i
}

// SaveTraining writes observations, so that a rule can be learned from them again. test are the classes of
// the final test.
func SaveTraining(w io.Writer, obs []Observation, test []string) error {
	k := training{Version: TrainingVersion, Test: test, Features: sparse.FeatureNames()}
	sweeps, devices := map[string]int{}, map[string]int{}
	matrices, configs := map[string]int{}, map[trainingConfig]int{}
	for i := range obs {
		o := &obs[i]
		c := trainingConfig{o.Config, o.Source}
		row := trainingTrial{
			sweep:  entryOf(sweeps, &k.Sweeps, o.Sweep, func() string { return o.Sweep }),
			device: entryOf(devices, &k.Devices, o.Device, func() trainingDevice { return trainingDevice{o.Device, o.Hardware} }),
			matrix: entryOf(matrices, &k.Matrices, o.Matrix, func() trainingMatrix {
				return trainingMatrix{o.Matrix, o.Class, knownFeatures(o.Features), digits(o.Reading, 5)}
			}),
			config: entryOf(configs, &k.Configs, c, func() trainingConfig { return c }),
			cache:  o.Cache, failed: o.Failed,
			seconds: digits(o.Seconds, 5), low: digits(o.Low, 5), high: digits(o.High, 5), prepare: digits(o.Prepare, 5),
		}
		if o.Tied {
			row.tied = 1
		}
		k.Trials = append(k.Trials, row)
	}

	z := gzip.NewWriter(w)
	err := json.NewEncoder(z).Encode(k)
	if err = cmp.Or(err, z.Close()); err != nil {
		return fmt.Errorf("saving observations: %w", err)
	}
	return nil
}

// digits rounds a number to some significant digits.
func digits(x float64, n int) float64 {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'e', n-1, 64), 64)
	return x
}

func knownFeatures(f *sparse.Features) []*float64 {
	names := sparse.FeatureNames()
	list := make([]*float64, len(names))
	for i, x := range f.Values() {
		if !math.IsNaN(x) && x != sparse.Unknown {
			list[i] = &x
		}
	}
	return list
}

// mostTraining is the most bytes that saved observations take unpacked: ten times the H200's.
var mostTraining int64 = 200e6

// ReadTraining reads what SaveTraining wrote.
func ReadTraining(r io.Reader) (obs []Observation, test []string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("reading saved observations: %w", err)
		}
	}()
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: learn --save-training writes them", err)
	}
	var k training
	limited := &io.LimitedReader{R: z, N: mostTraining}
	if err := json.NewDecoder(limited).Decode(&k); limited.N == 0 {
		return nil, nil, fmt.Errorf("they take more than %d MB unpacked: save fewer", mostTraining/1e6)
	} else if err != nil {
		return nil, nil, err
	}
	if k.Version != TrainingVersion {
		return nil, nil, fmt.Errorf("their format has version %d, this program reads version %d", k.Version, TrainingVersion)
	}
	features := make([]*sparse.Features, len(k.Matrices))
	for i, m := range k.Matrices {
		f := sparse.UnknownFeatures()
		for j, x := range m.Features {
			if x == nil || j >= len(k.Features) {
				continue
			}
			if err := f.Set(k.Features[j], *x); err != nil {
				return nil, nil, fmt.Errorf("matrix %q: %w", m.Name, err)
			}
		}
		features[i] = &f
	}

	for i, row := range k.Trials {
		o, err := k.observation(row, features)
		if err != nil {
			return nil, nil, fmt.Errorf("trial %d: %w", i+1, err)
		}
		obs = append(obs, o)
	}
	return obs, k.Test, nil
}

// observation gives a trial with all that its numbers stand for.
func (k *training) observation(r trainingTrial, features []*sparse.Features) (o Observation, err error) {
	numbers := []int{r.sweep, r.device, r.matrix, r.config}
	for i, n := range []int{len(k.Sweeps), len(k.Devices), len(k.Matrices), len(k.Configs)} {
		if numbers[i] < 0 || numbers[i] >= n {
			return o, fmt.Errorf("value %d is %d of %d", i+1, numbers[i], n)
		}
	}
	device, m, c := k.Devices[r.device], k.Matrices[r.matrix], k.Configs[r.config]
	return Observation{
		Sweep: k.Sweeps[r.sweep], Device: device.Name, Hardware: device.Hardware, Matrix: m.Name, Class: m.Class,
		Cache: r.cache, Features: features[r.matrix], Config: c.Config, Source: c.Source, Reading: m.Reading,
		Failed: r.failed, Tied: r.tied == 1, Seconds: r.seconds, Low: r.low, High: r.high, Prepare: r.prepare,
	}, nil
}
