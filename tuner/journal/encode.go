package journal

import (
	"encoding/json"
	"time"

	"spmvtune/configs"
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
	Low        number            `json:"low,omitzero"`
	High       number            `json:"high,omitzero"`
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
		Median: number(r.Median), Low: number(r.Low), High: number(r.High), Samples: r.Samples,
		Seconds: number(r.Seconds), Prepare: number(r.Prepare), MaxError: number(r.MaxError),
		Properties: convert[number](r.Properties),
	}
}

func (l *trialLine) decode() trial.Result {
	r := l.Result
	r.Median, r.Low, r.High, r.Samples = float64(l.Median), float64(l.Low), float64(l.High), l.Samples
	r.Seconds, r.Prepare, r.MaxError = float64(l.Seconds), float64(l.Prepare), float64(l.MaxError)
	r.Properties = convert[float64](l.Properties)
	if r.Measurement == 0 { // the journal is from before measurements had versions
		r.Measurement = 1
	}
	return r
}

func encodeMatrix(m trial.Matrix) matrixLine {
	return matrixLine{m, features(m.Features)}
}

func (l *matrixLine) decode() *trial.Matrix {
	m := l.Matrix
	m.Features = sparse.Features(l.Features)
	if m.TwinOf == "" { // the journal may be from before there was such a field
		m.TwinOf, m.TwinScale = trial.LegacyTwin(m.Source)
	}
	return &m
}

func encodeRun(n int, run tuner.RunInfo, facts map[string]string, at time.Time) runLine {
	return runLine{
		Number: n, Sweep: run.Sweep.Name, Title: run.Sweep.Title, Text: string(run.Sweep.Text),
		Device:  run.Device,
		Roof:    roof{number(run.Roof.Read), number(run.Roof.Copy), number(run.Roof.Triad), number(run.Roof.Gather)},
		Sources: run.Sources, Own: run.Own, Protocol: run.Protocol, Version: run.Version, Origin: run.Origin, Facts: facts, At: at,
	}
}

func (l *runLine) decode() *Run {
	if l.Origin == (trial.Origin{}) { // older journals have it among the facts
		l.Origin = trial.Origin{Node: l.Facts["node"], UUID: l.Facts["uuid"], Job: l.Facts["job"]}
	}

	return &Run{
		RunInfo: tuner.RunInfo{
			Sweep:  &configs.Sweep{Name: l.Sweep, Title: l.Title, Text: []byte(l.Text)},
			Device: l.Device,
			Roof: kernels.Roof{Read: float64(l.Roof.Read), Copy: float64(l.Roof.Copy), Triad: float64(l.Roof.Triad),
				Gather: float64(l.Roof.Gather)},
			Sources: l.Sources, Own: l.Own, Protocol: l.Protocol, Version: l.Version, Origin: l.Origin,
		},
		Facts: l.Facts, At: l.At,
	}
}

// as decodes what a line says.
func as[T any](data []byte) (*T, error) {
	v := new(T)
	if err := json.Unmarshal(data, v); err != nil {
		return nil, err
	}
	return v, nil
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
