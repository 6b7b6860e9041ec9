// SPDX-License-Identifier: Apache-2.0

package trial

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
)

// A Status says how a trial ended.
type Status string

const (
	OK      Status = "ok"      // verified and measured
	Wrong   Status = "wrong"   // the result is outside the error bound; not timed
	Invalid Status = "invalid" // the device can't launch this configuration
	Fault   Status = "fault"   // the worker crashed, or the backend failed
	Timeout Status = "timeout" // no answer within the deadline; the worker was killed
	OOM     Status = "oom"     // memory ran out
)

// A Stop says why sampling ended.
type Stop string

const (
	StopTarget  Stop = "target"  // the interval is narrow enough
	StopSamples Stop = "samples" // the most samples were taken
	StopBudget  Stop = "budget"  // the time budget of the trial is used up
	StopSlow    Stop = "slow"    // it is far slower than the best of its place: one product was enough to see that
	StopSearch  Stop = "search"  // a partial measurement: the search asked for no more samples
	StopClock   Stop = "clock"   // the interval is as narrow as the clock can tell, which is wider than the target
)

// A Result is the outcome of a trial. Times are in seconds per product.
type Result struct {
	Trial
	Status  Status `json:"status"`
	Message string `json:"message,omitempty"`

	Median     float64   `json:"median,omitempty"`
	WithinLow  float64   `json:"low,omitempty"`     // lower end of the 95% interval of the median within the run
	WithinHigh float64   `json:"high,omitempty"`    // upper end
	Samples    []float64 `json:"samples,omitempty"` // in the order in which they were taken
	Batch      int       `json:"batch,omitempty"`   // products per sample
	Stop       Stop      `json:"stop,omitempty"`

	Prepare float64 `json:"prepare,omitempty"` // preparation time in seconds
	// MaxError is the worst |ŷᵢ−yᵢ| as a fraction of its bound; above 1 is wrong.
	MaxError      float64            `json:"max_error"`
	WorstRow      int                `json:"worst_row"` // row of MaxError
	BytesMin      int64              `json:"bytes_min,omitempty"`
	BytesOwn      int64              `json:"bytes_kernel,omitempty"`
	Properties    map[string]float64 `json:"properties,omitempty"`
	Warnings      []string           `json:"warnings,omitempty"`
	Telemetry     *Telemetry         `json:"telemetry,omitempty"` // nil: the device has no sensors that can be read
	At            time.Time          `json:"at"`                  // when the trial finished, UTC
	Seconds       float64            `json:"seconds,omitempty"`   // how long the worker was busy with it, without loading code; 0: not known
	LastRequested int64              `json:"asked,omitempty"`     // see Precedence

	// UUID is that of the device, as in the Origin of its run, which a recorder knows by it.
	UUID string `json:"-"`

	// Host is what others did to the processor meanwhile.
	Host HostUse `json:"host,omitzero"`

	// Measurement is the version of the code that took the samples, see worker.Version.
	// 0: it was measured elsewhere, and the version is not known.
	Measurement int `json:"measurement,omitempty"`

	// Sentinel says that the trial was measured again to see drift, see Sentinel in
	// configs.Protocol. The result belongs beside the trial's first one, not in its place.
	Sentinel bool `json:"sentinel,omitempty"`
	// LeaderRerun says that the trial was measured again to pick the winner among the leaders,
	// see Finals in configs.Protocol.
	LeaderRerun bool `json:"final,omitempty"`
	// NoiseRerun says that the trial was measured again to see how much repeating moves a trial,
	// see Repeats in configs.Protocol. Its arrays were allocated again, like those of a leader rerun, with the fewest
	// samples.
	NoiseRerun bool `json:"spread,omitempty"`
}

// IsRerun reports whether r repeats a trial that has a result already.
func (r Result) IsRerun() bool { return r.Sentinel || r.LeaderRerun || r.NoiseRerun }

// Throttled is the number of samples that were kept though the device throttled.
func (r Result) Throttled() int {
	if r.Telemetry == nil {
		return 0
	}
	return r.Telemetry.Throttled
}

// A Record is what is recorded of a trial: the result in force, and the measurements that
// repeat it in the order of time (sentinels, leader and noise reruns).
type Record struct {
	Result
	Reruns []Result
}

// LeaderMedians returns the medians of the leader reruns in seconds, in the order of time.
func (r Record) LeaderMedians() []float64 {
	leaders := lists.Where(r.Reruns, func(again Result) bool { return again.LeaderRerun })
	return lists.Of(leaders, func(again Result) float64 { return again.Median })
}

// Detail says how much of a record is wanted.
type Detail int

const (
	// Brief is the identity, the status and the times, also of repeats, without samples.
	Brief Detail = iota
	// Full has the samples, too.
	Full
)

// Telemetry is what the sensors of the device said around the samples of a trial: before the
// first and after each batch. A number that the device does not report is 0.
type Telemetry struct {
	SMClock     int     `json:"sm_mhz,omitempty"`     // lowest clock in MHz
	MemoryClock int     `json:"memory_mhz,omitempty"` // lowest clock in MHz
	Temperature int     `json:"celsius,omitempty"`    // highest temperature
	Power       float64 `json:"watts,omitempty"`      // highest power
	// Energy is that of the whole board in joules per product; 0 if the trial did not last
	// long enough to tell.
	Energy float64 `json:"joules,omitempty"`
	// Reasons are why the clocks were reduced around the samples that were kept. They are
	// known only if HasReasons is set.
	Reasons    kernels.ClockReasons `json:"reasons,omitempty"`
	HasReasons bool                 `json:"has_reasons,omitempty"`
	// Repeated is the number of samples that were taken again because the device throttled.
	Repeated int `json:"repeated,omitempty"`
	// Throttled is the number of samples that were kept although the device throttled.
	Throttled int `json:"throttled,omitempty"`
}

// A HostUse is what others did to the processor while trials were measured. It is zero where the
// processor is not in the times, and where the system does not tell.
type HostUse struct {
	Cores    float64 `json:"cores,omitzero"`    // seconds of the cores that the worker may use
	Others   float64 `json:"others,omitzero"`   // seconds in which a core worked for another process
	Stolen   float64 `json:"stolen,omitzero"`   // seconds in which the hypervisor gave a core to another machine
	Switches int     `json:"switches,omitzero"` // how often the system took a core away from the worker
	Own      float64 `json:"own,omitzero"`      // seconds of processor time of the worker
	Load     float64 `json:"load,omitzero"`     // the highest load average of the machine, of one minute
}

// Add adds o.
func (u *HostUse) Add(o HostUse) {
	u.Cores += o.Cores
	u.Others += o.Others
	u.Stolen += o.Stolen
	u.Switches += o.Switches
	u.Own += o.Own
	u.Load = max(u.Load, o.Load)
}

// Below these, a processor counts as free. Medians then differ as those of two runs on an idle one
// do, see docs/measuring.md. How often the system takes a core away says nothing: where a product
// uses all cores, the program's own threads do that hundreds of times in a second.
const (
	freeOfOthers = 0.1  // share of the cores' time that others take
	freeOfTheft  = 0.01 // share that the hypervisor takes
	enoughCores  = 2.0  // seconds of the cores before anything is said
)

// OthersShare and StolenShare are shares of the cores' time.
func (u HostUse) OthersShare() float64 { return u.Others / max(u.Cores, 1e-9) }
func (u HostUse) StolenShare() float64 { return u.Stolen / max(u.Cores, 1e-9) }

// Crowded reports whether others used the processor so much that they are in the times of its
// products.
func (u HostUse) Crowded() bool {
	return u.Cores >= enoughCores && u.Excess() > 1
}

// Excess is how many times as much others do as on a processor that counts as free.
func (u HostUse) Excess() float64 {
	return max(u.OthersShare()/freeOfOthers, u.StolenShare()/freeOfTheft)
}

// String says what others did, without what is next to nothing.
func (u HostUse) String() string {
	var what []string
	if share := u.OthersShare(); share >= 0.005 {
		what = append(what, fmt.Sprintf("other processes took %.0f%% of its cores", 100*share))
	}
	if share := u.StolenShare(); share >= 0.005 {
		what = append(what, fmt.Sprintf("the hypervisor took %.0f%%", 100*share))
	}
	return fmt.Sprintf("%s (load %.1f)", strings.Join(what, ", "), u.Load)
}

// HostRemedy says what helps where the processor is crowded; launching: with the launches of a GPU.
func HostRemedy(launching bool) string {
	text := "Times scatter and differ from run to run. What helps: fewer jobs at once, another time, or a node of " +
		"your own (Slurm's --exclusive)"
	if launching {
		text += `; launch = "graph", which keeps the processor out of a GPU's times`
	}
	return text
}

// LongestName is how many characters a name has at most, and LongestStored how many it has in a
// database, which makes some names of matrices longer.
const (
	LongestName   = 200
	LongestStored = LongestName + 9
)

// What no measurement exceeds.
const (
	longest = 1e11  // seconds
	least   = 1e-15 // seconds
	largest = 1e15  // sizes
)

// Check refuses a result with values that no measurement has. Results come from files, too.
func (r *Result) Check() error {
	between := func(v, lo, hi float64) bool { return v >= lo && v <= hi }
	switch {
	case r.Status == OK && !between(r.Median, least, longest):
		return fmt.Errorf("the time %g is not between a femtosecond and a million days", r.Median)
	case r.Status == OK && !(between(r.WithinLow, 0, longest) && between(r.WithinHigh, 0, longest)):
		return fmt.Errorf("invalid time interval: %g to %g", r.WithinLow, r.WithinHigh)
	case min(r.Block, r.Grid) < 0 || max(r.Block, r.Grid) > math.MaxInt32:
		return fmt.Errorf("the block %d or the grid %d is not between 0 and %d", r.Block, r.Grid, math.MaxInt32)
	case min(r.BytesMin, r.BytesOwn) < 0 || max(r.BytesMin, r.BytesOwn) > 1e18:
		return fmt.Errorf("%d or %d is not a number of bytes", r.BytesMin, r.BytesOwn)
	case len(r.Params) > 1000:
		return fmt.Errorf("parameters of %d characters are too long", len(r.Params))
	}
	for _, s := range r.Samples {
		if r.Status == OK && !between(s, 0, longest) {
			return fmt.Errorf("the sample %g is not a time", s)
		}
	}
	return CheckNames(r.ID, r.Kernel)
}

// Check refuses a matrix with features that no matrix has.
func (m *Matrix) Check() error {
	for field, v := range reflect.ValueOf(m.Features).Fields() {
		switch {
		case v.CanInt() && (v.Int() < -1 || v.Int() > largest), v.CanFloat() && math.IsInf(v.Float(), 0):
			return fmt.Errorf("the feature %s of matrix %.40q is %v", field.Tag.Get("json"), m.Name, v)
		}
	}
	if min(m.Features.Rows, m.Features.Cols, m.Features.Nonzeros) < 0 {
		return fmt.Errorf("the sizes of matrix %.40q are %d, %d and %d", m.Name, m.Features.Rows, m.Features.Cols,
			m.Features.Nonzeros)
	}
	return CheckNames(m.Name, m.Class)
}

// CheckNames refuses names that are too long to be printed.
func CheckNames(names ...string) error {
	for _, name := range names {
		if utf8.RuneCountInString(name) > LongestName {
			return fmt.Errorf("the name %.40q… has more than %d characters", name, LongestName)
		}
	}
	return nil
}

// A Precedence is what decides which of several results is in force.
//
// Several results may claim to be the one that counts. These rules decide, everywhere:
// in a database, when databases and journals are united, and for what is learnt from
// them. None depends on the order in which results were recorded.
//
//  1. One identity, recorded several times: of results that are OK the first one stays. A
//     failure never replaces it; of several failures the latest is kept. See
//     [Precedence.Replaces]. When the latest was measured is not forgotten, see
//     [Precedence.LastRequest].
//  2. One configuration in one [Case], under several identities (its kernel, the
//     protocol or the driver has changed): the trial that a run measured last is in force,
//     or planned and found measured already. At equal times it is the one with the greater
//     identity.
//  3. A partial measurement, which a search made with few samples, is the memory of that
//     search and no more. It is never in force.
//  4. In one case, only results of the newest measurement version among the good ones
//     compete: times of different versions can't be compared. Trials that were measured
//     elsewhere, whose version is not known, always compete.
//
// Package store decides by the last three, see its decideCase.
type Precedence struct {
	ID            string // of the trial
	Status        Status
	Partial       bool  // whether a search measured it with few samples only
	At            int64 // when it was measured, in milliseconds since 1970
	LastRequested int64 // when a run last wanted it, if that was after At, else 0
	Version       int   // of the measurement; 0: measured elsewhere
}

// Precedence returns what decides whether r is in force.
func (r Result) Precedence() Precedence {
	return Precedence{ID: r.ID, Status: r.Status, Partial: r.Partial(), At: r.At.UnixMilli(),
		LastRequested: r.LastRequested, Version: r.Measurement}
}

// Partial reports whether a search measured r with few samples only.
func (r Result) Partial() bool { return r.Stop == StopSearch }

// Good reports whether s may be compared with others: it is OK and not partial.
func (s Precedence) Good() bool { return s.Status == OK && !s.Partial }

// Replaces reports whether s takes the place of old, which has the same identity.
func (s Precedence) Replaces(old Precedence) bool {
	switch {
	case old.Status == OK:
		return s.Status == OK && s.At < old.At
	case s.Status == OK:
		return true
	default:
		return cmp.Or(cmp.Compare(s.At, old.At), cmp.Compare(s.Status, old.Status)) > 0
	}
}

// LastRequest returns what LastRequested is of s once o, which has the same identity, has given way to it.
func (s Precedence) LastRequest(o Precedence) int64 {
	if last := max(s.last(), o.last()); last > s.At {
		return last
	}
	return 0
}

// last is when a run last measured s or wanted it.
func (s Precedence) last() int64 { return max(s.At, s.LastRequested) }
