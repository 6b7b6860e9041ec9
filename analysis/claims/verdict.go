package claims

import (
	"math"
	"slices"
)

// A Verdict is what the data says of a claim.
type Verdict string

const (
	Holds   Verdict = "holds"
	Fails   Verdict = "does not hold"
	Unknown Verdict = "not enough data" // There are too few cases, or intervals reach across a bound.
)

// A Case is one figure that a verdict rests on.
type Case struct {
	Matrix    string  `json:"matrix,omitempty"`
	Of        string  `json:"of,omitempty"` // The published matrix that a twin stands for.
	Precision string  `json:"precision,omitempty"`
	Cache     string  `json:"cache,omitempty"`
	Note      string  `json:"note,omitempty"`
	Value     float64 `json:"value"`
	// Low and High bound Value: the intervals of what it is made of, at their worst.
	Low       float64  `json:"low"`
	High      float64  `json:"high"`
	Unsure    bool     `json:"unsure,omitempty"` // No interval is known of what it is made of.
	Position  Position `json:"standing"`
	Published *float64 `json:"published,omitempty"` // The same figure in the paper.
}

// A Standing says where a figure lies relative to the bounds.
type Position string

const (
	Inside  Position = "in"
	Outside Position = "out"
	Across  Position = "across" // The interval reaches across a bound.
)

// stand compares an interval with the bounds.
func (p *Part) position(low, high float64) Position {
	above, below := math.Inf(-1), math.Inf(1)
	if p.Above != nil {
		above = *p.Above
	}
	if p.Below != nil {
		below = *p.Below
	}

	switch {
	case low > above && high < below:
		return Inside
	case high <= above || low >= below:
		return Outside
	}

	return Across
}

// judge sets the standing of each case and the verdict.
func (p *Part) judge(f *Finding) {
	for i := range f.Cases {
		c := &f.Cases[i]
		if c.Position = p.position(c.Low, c.High); c.Unsure {
			c.Position = Across
		}
		switch c.Position {
		case Inside:
			f.In++
		case Outside:
			f.Out++
		case Across:
			f.Across++
		}
	}

	n := len(f.Cases)
	f.Mean, f.MeanLow, f.MeanHigh = mean(f.Cases)
	f.Verdict = Unknown
	if n < p.fewest() {
		return
	}

	switch p.Test {
	case Most:
		f.Verdict = either(2*f.In > n, 2*(f.In+f.Across) <= n)
	case Every:
		f.Verdict = either(f.In == n, f.Out > 0)
	case Any:
		f.Verdict = either(f.In > 0, f.Out == n)
	case Mean:
		s := p.position(f.MeanLow, f.MeanHigh)
		if slices.ContainsFunc(f.Cases, func(c Case) bool { return c.Unsure }) {
			s = Across
		}
		f.Verdict = either(s == Inside, s == Outside)
	}
}

func either(holds, fails bool) Verdict {
	switch {
	case holds:
		return Holds
	case fails:
		return Fails
	}
	return Unknown
}

// mean returns the geometric mean of the cases and its interval, all 0 if a value is not
// positive. The errors of the cases are independent, so on a logarithmic scale the squares of
// the arms of their intervals add.
func mean(cases []Case) (v, low, high float64) {
	var sum, down, up float64
	for _, c := range cases {
		if !(c.Value > 0 && c.Low > 0) {
			return 0, 0, 0
		}
		sum += math.Log(c.Value)
		down = math.Hypot(down, math.Log(c.Value/c.Low))
		up = math.Hypot(up, math.Log(c.High/c.Value))
	}

	n := float64(len(cases))
	if n == 0 {
		return 0, 0, 0
	}
	v = math.Exp(sum / n)
	return v, v * math.Exp(-down/n), v * math.Exp(up/n)
}

// together derives the verdict on a claim from the verdicts on its parts.
func together(parts []Finding) Verdict {
	v := Holds
	for i := range parts {
		if parts[i].Part.Aside {
			continue
		}
		switch parts[i].Verdict {
		case Fails:
			return Fails
		case Unknown:
			v = Unknown
		}
	}

	return v
}
