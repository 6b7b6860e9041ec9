package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"time"

	"spmvtune/sparse"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// A trialLine is a trial as it is written. In JSON, a field of a struct takes precedence over
// one of the same name in an embedded struct: the error of a wrong result may be infinite. All other numbers of
// a result are finite.
type trialLine struct {
	Run int `json:"run"` // its number
	trial.Result
	MaxError number `json:"max_error"`
}

// A matrixLine is a matrix as it is written.
type matrixLine struct {
	trial.Matrix
	Features features `json:"features"`
}

func encodeTrial(run int, r trial.Result) trialLine { return trialLine{run, r, number(r.MaxError)} }

func (l *trialLine) decode() (trial.Result, error) {
	l.Result.MaxError = float64(l.MaxError)
	return l.Result, l.Check()
}

func encodeMatrix(m trial.Matrix) matrixLine {
	return matrixLine{m, features(m.Features)}
}

func (l *matrixLine) decode() (*trial.Matrix, error) {
	l.Matrix.Features = sparse.Features(l.Features)
	return &l.Matrix, l.Check()
}

func encodeRun(n int, run tuner.RunInfo, facts map[string]string, at time.Time) runLine {
	return runLine{
		Number: n, Sweep: run.Sweep.Name, Title: run.Sweep.Title, Text: string(run.Sweep.Text),
		Settings: run.Sweep.Settings(),
		Device:   run.Device, Roof: run.Roof, Sources: run.Sources, Own: run.Custom, Protocol: run.Protocol, Version: run.Version, Origin: run.Origin,
		Facts: facts, At: at,
	}
}

func (l *runLine) decode() (*Run, error) {
	run := &Run{
		RunInfo: tuner.RunInfo{
			Sweep:  l.Settings.Sweep(l.Sweep, l.Title, []byte(l.Text)),
			Device: l.Device, Roof: l.Roof, Sources: l.Sources, Custom: l.Own, Protocol: l.Protocol, Version: l.Version, Origin: l.Origin,
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

// A number is a float64 that comes back from JSON, also where JSON has no such number.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	v := float64(n)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Appendf(nil, `"%s"`, strconv.FormatFloat(v, 'g', -1, 64)), nil
	}
	return strconv.AppendFloat(nil, v, 'g', -1, 64), nil
}

func (n *number) UnmarshalJSON(data []byte) error {
	word, quoted := bytes.CutPrefix(data, []byte(`"`))
	v, err := strconv.ParseFloat(string(bytes.TrimSuffix(word, []byte(`"`))), 64)
	if err != nil || quoted != (math.IsNaN(v) || math.IsInf(v, 0)) {
		return fmt.Errorf("%s is not a number", data)
	}
	*n = number(v)
	return nil
}
