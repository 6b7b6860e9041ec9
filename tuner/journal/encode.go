package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"time"

	"spmvtune/kernels"
	"spmvtune/sparse"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// A trialLine is a trial as it is written. In JSON, a field of a struct takes precedence over
// one of the same name in an embedded struct: here, every float64 gives way to a number.
type trialLine struct {
	Run int `json:"run"` // its number
	trial.Result
	Median     number            `json:"median,omitzero"`
	WithinLow  number            `json:"low,omitzero"`
	WithinHigh number            `json:"high,omitzero"`
	Samples    numbers           `json:"samples,omitempty"`
	Seconds    number            `json:"seconds,omitzero"`
	Prepare    number            `json:"prepare,omitzero"`
	MaxError   number            `json:"max_error"`
	Properties map[string]number `json:"properties,omitempty"`
}

// A matrixLine is a matrix as it is written.
type matrixLine struct {
	trial.Matrix
	Features features `json:"features"`
}

// A roof is a device's bandwidths as they are written.
type roof struct {
	Read   number `json:"read"`
	Copy   number `json:"copy"`
	Triad  number `json:"triad"`
	Gather number `json:"gather,omitzero"`
}

func encodeTrial(run int, r trial.Result) trialLine {
	return trialLine{
		Run: run, Result: r,
		Median: number(r.Median), WithinLow: number(r.WithinLow), WithinHigh: number(r.WithinHigh), Samples: r.Samples,
		Seconds: number(r.Seconds), Prepare: number(r.Prepare), MaxError: number(r.MaxError),
		Properties: convert[number](r.Properties),
	}
}

func (l *trialLine) decode() (trial.Result, error) {
	r := l.Result
	r.Median, r.WithinLow, r.WithinHigh, r.Samples = float64(l.Median), float64(l.WithinLow), float64(l.WithinHigh), l.Samples
	r.Seconds, r.Prepare, r.MaxError = float64(l.Seconds), float64(l.Prepare), float64(l.MaxError)
	r.Properties = convert[float64](l.Properties)
	return r, r.Check()
}

func encodeMatrix(m trial.Matrix) matrixLine {
	return matrixLine{m, features(m.Features)}
}

func (l *matrixLine) decode() (*trial.Matrix, error) {
	m := l.Matrix
	m.Features = sparse.Features(l.Features)
	return &m, m.Check()
}

func encodeRun(n int, run tuner.RunInfo, facts map[string]string, at time.Time) runLine {
	return runLine{
		Number: n, Sweep: run.Sweep.Name, Title: run.Sweep.Title, Text: string(run.Sweep.Text),
		Settings: run.Sweep.Settings(),
		Device:   run.Device,
		Roof:     roof{number(run.Roof.Read), number(run.Roof.Copy), number(run.Roof.Triad), number(run.Roof.Gather)},
		Sources:  run.Sources, Own: run.Custom, Protocol: run.Protocol, Version: run.Version, Origin: run.Origin,
		Facts: facts, At: at,
	}
}

func (l *runLine) decode() (*Run, error) {
	run := &Run{
		RunInfo: tuner.RunInfo{
			Sweep:  l.Settings.Sweep(l.Sweep, l.Title, []byte(l.Text)),
			Device: l.Device,
			Roof: kernels.Roof{Read: float64(l.Roof.Read), Copy: float64(l.Roof.Copy), Triad: float64(l.Roof.Triad),
				Gather: float64(l.Roof.Gather)},
			Sources: l.Sources, Custom: l.Own, Protocol: l.Protocol, Version: l.Version, Origin: l.Origin,
		},
		Facts: l.Facts, At: l.At,
	}
	return run, trial.CheckNames(l.Sweep, l.Device.Name, l.Device.Backend, l.Device.Driver)
}

// decoded reads data into a line, and returns what that stands for.
func decoded[T any](data []byte, line any, decode func() (T, error)) (v T, err error) {
	if err = json.Unmarshal(data, line); err != nil {
		return v, err
	}
	return decode()
}

// convert changes the type of the values of a map.
func convert[To, From ~float64](m map[string]From) map[string]To {
	if m == nil {
		return nil
	}
	c := make(map[string]To, len(m))
	for name, v := range m {
		c[name] = To(v)
	}
	return c
}

// features are written as sparse.Features would be, except that their numbers may be NaN.
// A number that is missing, because an older program wrote the line, is read as NaN: not
// known.
type features sparse.Features

func (f features) MarshalJSON() ([]byte, error) {
	values := map[string]any{}
	for field, v := range reflect.ValueOf(f).Fields() {
		name := field.Tag.Get("json")
		if v.CanInt() {
			values[name] = v.Int()
		} else {
			values[name] = number(v.Float())
		}
	}
	return json.Marshal(values)
}

func (f *features) UnmarshalJSON(data []byte) error {
	var values map[string]number
	if err := json.Unmarshal(data, &values); err != nil {
		return err
	}
	for field, v := range reflect.ValueOf(f).Elem().Fields() {
		name := field.Tag.Get("json")
		x, there := values[name]
		switch whole := math.Trunc(float64(x)); {
		case v.CanInt() && (float64(x) != whole || math.Abs(whole) > 1<<53):
			return fmt.Errorf("%s: %v is not a whole number", name, x)
		case v.CanInt():
			v.SetInt(int64(whole))
		case there:
			v.SetFloat(float64(x))
		default:
			v.SetFloat(math.NaN())
		}
	}
	return nil
}

// A number is a float64 that comes back from JSON bit by bit. Only which NaN it was is lost.
type number float64

// IsZero lets omitzero tell 0 from −0.
func (n number) IsZero() bool { return math.Float64bits(float64(n)) == 0 }

func (n number) MarshalJSON() ([]byte, error) { return appendNumber(nil, float64(n)), nil }

func (n *number) UnmarshalJSON(data []byte) error {
	v, err := parseNumber(data)
	*n = number(v)
	return err
}

// numbers are a list of numbers, encoded without a method call for each.
type numbers []float64

func (s numbers) MarshalJSON() ([]byte, error) {
	data := append(make([]byte, 0, 24*len(s)+2), '[')
	for i, v := range s {
		if i > 0 {
			data = append(data, ',')
		}
		data = appendNumber(data, v)
	}
	return append(data, ']'), nil
}

func (s *numbers) UnmarshalJSON(data []byte) error {
	*s = nil
	data, ok := bytes.CutPrefix(bytes.TrimSpace(data), []byte("["))
	if !ok {
		return fmt.Errorf("%s is not a list of numbers", data) // also null, which is not written
	}
	data = bytes.TrimSpace(data[:len(data)-1]) // encoding/json has seen that it closes
	if len(data) == 0 {
		return nil
	}

	*s = make(numbers, 0, bytes.Count(data, []byte(","))+1)
	for more := true; more; {
		var item []byte
		item, data, more = bytes.Cut(data, []byte(","))
		v, err := parseNumber(bytes.TrimSpace(item))
		if err != nil {
			*s = nil
			return err
		}
		*s = append(*s, v)
	}

	return nil
}

func appendNumber(data []byte, v float64) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Appendf(data, `"%s"`, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return strconv.AppendFloat(data, v, 'g', -1, 64)
}

// parseNumber reads one value of well-formed JSON.
func parseNumber(data []byte) (float64, error) {
	word, quoted := bytes.CutPrefix(data, []byte(`"`))
	v, err := strconv.ParseFloat(string(bytes.TrimSuffix(word, []byte(`"`))), 64)
	if err != nil || quoted != (math.IsNaN(v) || math.IsInf(v, 0)) {
		return 0, fmt.Errorf("%s is not a number", data)
	}
	return v, nil
}
