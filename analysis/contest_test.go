// SPDX-License-Identifier: Apache-2.0

package analysis

import (
	"math"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/trial"
)

// A kernel that was measured only where it shines does not come first, and one that is told from
// the best is not tied with it.
func TestContest(t *testing.T) {
	var rows []store.Row
	for i, matrix := range []string{"a", "b", "c"} {
		for kernel, ms := range map[string]float64{"csr_vector": 1, "csr_scalar": 2, "coo_atomic": 1 + float64(i)} {
			r := found(kernel, 0.99*ms, ms, 1.01*ms)
			r.Matrix = matrix
			rows = append(rows, r)
		}
	}
	r := found("csr_light", 0.5, 0.5, 0.5)
	r.Matrix = "c"
	d := New(append(rows, r), nil, nil, nil)
	c := NewContest(d.Panels)

	want := []Contender{
		{Kernel: "csr_vector", Tried: 3, Named: 2, Mean: math.Cbrt(0.5)},
		{Kernel: "coo_atomic", Tried: 3, Tied: 1, Mean: math.Cbrt(1. / 12)},
		{Kernel: "csr_scalar", Tried: 3, Mean: math.Cbrt(1. / 16)},
		{Kernel: "csr_light", Tried: 1, Named: 1, Mean: 1},
	}
	for i, s := range c.Contenders {
		w := want[i]
		if len(s.Entries) != 3 || s.Kernel != w.Kernel || s.Tried != w.Tried || s.Named+s.Tied != w.Named+w.Tied ||
			math.Abs(s.Mean-w.Mean) > 1e-9 {
			t.Errorf("%d: %+v, want %+v", i, s, w)
		}
	}
}

// found is a trial of a kernel that another run finds between low and high. Its samples, in
// this run, say much less, and something else.
func found(kernel string, low, time, high float64) store.Row {
	r := store.Row{Device: "d", Matrix: "m", Time: time, Another: trial.Interval{Low: low, High: high}}
	r.Status, r.Config = trial.OK, kernels.Config{Kernel: kernel, Precision: kernels.Float32}
	r.Median, r.WithinLow, r.WithinHigh, r.Factor = 0.98*time, 0.979*time, 0.981*time, 1
	return r
}

func TestTieSet(t *testing.T) {
	at := func(low, time, high float64) store.Row { return found("a", low, time, high) }
	for _, tt := range []struct {
		name string
		rows []store.Row
		want []bool
	}{
		{"one", []store.Row{at(1, 1, 1)}, []bool{true}},
		{"another run may find the other faster", []store.Row{at(1.05, 1.2, 1.3), at(0.9, 1, 1.2)}, []bool{true, true}},
		{"another run will find the same", []store.Row{at(1.15, 1.2, 1.3), at(0.9, 1, 1.1)}, []bool{false, true}},
		{"within a hundredth", []store.Row{at(1, 1, 1), at(1.009, 1.009, 1.009), at(1.02, 1.02, 1.02)},
			[]bool{true, true, false}},
	} {
		for i, got := range TieSet(tt.rows) {
			testkit.Equal(t, got, tt.want[i], "%s: trial %d is tied", tt.name, i)
		}
	}
}

// Of two times that were measured once, each counts with its half of what two measurements
// differ by. One that was measured often is less uncertain.
func TestTimesAreToldByTheirOwnUncertainty(t *testing.T) {
	const factor = 1.1
	once := func(time float64) store.Row { return found("a", time/factor, time, time*factor) }
	a, near, far := once(1), once(1.09), once(1.11)
	often := found("a", 1, 1, math.Exp(math.Log(factor)*math.Sqrt(0.5*(1+1.0/9))))
	for _, r := range []*store.Row{&a, &near, &far, &often} {
		r.Factor = factor
	}
	if Tells(&a, &near) || !Tells(&a, &far) || !Tells(&often, &near) {
		t.Errorf("told: 9%% apart %v, 11%% %v, 9%% from one that was measured nine times %v; want the last two",
			Tells(&a, &near), Tells(&a, &far), Tells(&often, &near))
	}
}

// What was decided for a place counts more than intervals. On another place it says nothing.
func TestDecidedTiesCount(t *testing.T) {
	best, wide, far := found("a", 0.9, 1, 1.1), found("b", 0.95, 1.03, 1.1), found("c", 1.4, 1.5, 1.6)
	best.Tied = true
	testkit.Check(t, Tells(&best, &wide), "repeat runs told b from a, and it is called tied")
	wide.Tied, far.Tied = true, true
	testkit.Check(t, !Tells(&best, &wide) && !Tells(&best, &far), "what is decided to be tied is told apart")
	far.Matrix = "another"
	testkit.Check(t, Tells(&best, &far), "ties of another matrix count")
}

// Ratios are of the times that other runs find, and one that may be 1 is no speed-up.
func TestGainsAreTold(t *testing.T) {
	d := New([]store.Row{
		found("coo_atomic", 3.9, 4, 4.1), found("csr_vector", 1.9, 2, 2.1), found("csr_scalar", 3.8, 3.9, 4.05),
	}, nil, nil, nil)
	told := map[string]bool{}
	for _, g := range d.Panels[0].Gains("coo_atomic") {
		told[g.Row.Kernel] = Tells(g.Row, d.Panels[0].Best("coo_atomic"))
		if g.Row.Kernel != "csr_vector" {
			continue
		}
		low := 2 * math.Exp(-math.Hypot(math.Log(4/3.9), math.Log(2.1/2)))
		testkit.Check(t, g.Value == 2 && math.Abs(g.Low-low) <= 1e-9, "%v times as fast, from %v; want 2, from %v", g.Value, g.Low, low)
	}
	testkit.Check(t, told["csr_vector"] && !told["csr_scalar"], "told apart from the baseline: %v", told)
}

// Trials whose intervals reach 3% and 4% towards each other are told if they are 5% apart.
func TestResolution(t *testing.T) {
	up, down := math.Exp(0.03), math.Exp(-0.04)
	d := New([]store.Row{
		found("csr_vector", 1, 1, up), found("csr_scalar", 1.1*down, 1.1, 1.2), found("coo_atomic", 0.1, 2, 4),
	}, nil, nil, nil)
	r := d.Resolution()
	if want := math.Expm1(0.05); math.Abs(r.Usual-want) > 1e-9 || r.Worst != r.Usual || !r.Repeated ||
		r.Limit() != "5.1%" {
		t.Errorf("%+v, want %v", r, want)
	}
	testkit.Equal(t, r.Caveat(), ", or from less where repeat runs confirm it", "caveat")

	noisy := []store.Row{found("csr_vector", 1, 1, 1.2), found("csr_scalar", 1.1, 1.1, 1.1)}
	for i := range noisy {
		noisy[i].Matrix = "noisy"
	}
	d = New(append(noisy, d.Rows...), nil, nil, nil)
	testkit.Says(t, "the caveat", d.Resolution().Caveat(), "(20% on noisy, float32, ")
	for i := range d.Rows {
		d.Rows[i].Factor = 0
	}
	if text := d.Resolution().Caveat(); !strings.Contains(text, "how much repeated trials differ is not known") ||
		strings.Contains(text, "repeat runs") {
		t.Errorf("without repeats it says %q", text)
	}
	if r := New(nil, nil, nil, nil).Resolution(); r.Usual > 0 {
		t.Errorf("of nothing it is %v", r.Usual)
	}
}

// Without repeats, more may be tied than samples within the run tell.
func TestTieCount(t *testing.T) {
	b := store.Best{Row: found("csr_vector", 1, 1, 1), Others: 2}
	testkit.Equal(t, TieCount(&b), "2", "with repeats")
	b.Factor = 0
	testkit.Equal(t, TieCount(&b), "≥2", "without repeats")
}

// A note on one trial, and on samples, is in good English.
func TestMissedWords(t *testing.T) {
	r := found("csr_vector", 1, 1, 1)
	r.Sweep, r.Stop, r.WithinLow, r.Median, r.WithinHigh = "s", trial.StopSamples, 0.9, 1, 1.1
	d := New([]store.Row{r}, nil, nil, nil)
	d.Sweeps = []store.Sweep{{Name: "s"}}
	d.Sweeps[0].Protocol.Target = 0.02
	if got := d.Missed(); len(got) != 1 || !strings.HasPrefix(got[0].Error(), "1 of 1 trial of s did not") ||
		!strings.HasSuffix(got[0].Error(), ": more samples narrow them") {
		t.Errorf("%v", got)
	}
	d.Sweeps[0].Protocol.Target = 0.2
	testkit.Equal(t, len(d.Missed()), 0, "warnings, though all are narrower than the target")
}
