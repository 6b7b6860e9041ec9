// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/tuner/stat"
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

// A Position says where a figure lies relative to the bounds.
type Position string

const (
	Inside  Position = "in"
	Outside Position = "out"
	Across  Position = "across" // The interval reaches across a bound.
)

// position compares an interval with the bounds.
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

// judge sets the position of each case and the verdict.
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

// mean returns the geometric mean of the cases and its interval, all 0 if a value is not positive.
func mean(cases []Case) (v, low, high float64) {
	list := make([]stat.Ratio, len(cases))
	for i, c := range cases {
		if !(c.Value > 0 && c.Low > 0) {
			return 0, 0, 0
		}
		list[i] = stat.Ratio{Value: c.Value, Low: c.Low, High: c.High}
	}
	if len(list) == 0 {
		return 0, 0, 0
	}
	m := stat.MeanRatio(list)
	return m.Value, m.Low, m.High
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

// Words says what the verdict on a part rests on, in a few words.
func (f *Finding) Words() string {
	n := len(f.Cases)
	switch {
	case n == 0:
		return "no data"
	case n < f.Part.fewest():
		return fmt.Sprintf("%s, and it takes %d", cases(n), f.Part.fewest())
	case f.Part.Test == Mean && f.Mean == 0:
		return cases(n) + ", not all of them positive"
	case f.Part.Test == Mean:
		return "geometric mean " + Figure(f.Mean, f.MeanLow, f.MeanHigh) + " of " + cases(n)
	}

	words := fmt.Sprintf("%d of %s within", f.In, cases(n))
	if f.Out > 0 {
		words += fmt.Sprintf(", %d outside", f.Out)
	}
	if f.Across > 0 {
		words += fmt.Sprintf(", %d undecided", f.Across)
	}
	return words
}

// Name is the matrix of a case. The name of a twin says what it stands for.
func (c *Case) Name() string {
	if c.Of == "" || strings.Contains(c.Matrix, "twin") {
		return c.Matrix
	}
	return c.Matrix + " (twin of " + c.Of + ")"
}

func cases(n int) string { return term.Count(n, "case", "cases") }

// Figure prints a value with its interval, as in "2.48 (2.41 to 2.55)", with at least three
// digits and as many as show the width of the interval.
func Figure(v, low, high float64) string {
	if v == 0 {
		return "0"
	}
	digits := 3
	if width := high - low; width > 0 {
		digits = min(6, max(digits, 2+int(math.Floor(math.Log10(math.Abs(v))))-int(math.Floor(math.Log10(width)))))
	}
	text := term.Significant(v, digits)
	if l, h := term.Significant(low, digits), term.Significant(high, digits); l != text || h != text {
		text += " (" + l + " to " + h + ")"
	}
	return text
}

// PublishedWords returns what the paper has: the number or, of several, their range and
// geometric mean; "" if nothing is known.
func (f *Finding) PublishedWords() string {
	var words []string
	if f.Quoted != "" {
		words = append(words, f.Quoted)
	}
	on := lists.Distinct(f.Published, func(p Published) string { return p.Device })
	said := lists.Where(f.Published, func(p Published) bool { return p.Value > 0 })
	values := lists.Of(said, func(p Published) float64 { return p.Value })
	where := " on " + strings.Join(on, ", ")
	switch len(values) {
	case 0:
		if len(f.Published) > 0 && f.Quoted == "" {
			words = append(words, f.Published[0].Caveat+where)
		}
	case 1:
		words = append(words, term.Significant(values[0], 3)+where)
	default:
		words = append(words, fmt.Sprintf("%s to %s, geometric mean %s%s", term.Significant(slices.Min(values), 3),
			term.Significant(slices.Max(values), 3),
			term.Significant(stat.GeometricMeanOf(values), 3), where))
	}

	return strings.Join(words, "; ")
}

// Caveats lists what is known to be unsound about the published numbers, each once.
func (f *Finding) Caveats() []string {
	some := lists.Where(f.Published, func(p Published) bool { return p.Caveat != "" && p.Value > 0 })
	return lists.Distinct(some, func(p Published) string { return p.Caveat })
}

// Words says where a case stands.
func (s Position) Words() string {
	switch s {
	case Inside:
		return "within"
	case Outside:
		return "outside"
	}
	return "can't be told"
}

// Bare reports whether there is no verdict because nothing was measured that tells.
func (j *Judgement) Bare() bool { return j.Verdict == Unknown && j.undecided() == nil }

// undecided is the last part whose cases do not decide, nil if there is none.
func (j *Judgement) undecided() *Finding {
	for i := range slices.Backward(j.Parts) {
		if f := &j.Parts[i]; f.Verdict == Unknown && len(f.Cases) > 0 && !f.Part.Aside {
			return f
		}
	}
	return nil
}

// Lacks says why there is no verdict, and which sweeps may bring one.
func (j *Judgement) Lacks() string {
	words := "no data"
	if f := j.undecided(); f != nil {
		words = f.Words()
	}

	if len(j.Sweeps) == 1 {
		return words + "; sweep: " + j.Sweeps[0]
	}
	return words + "; sweeps: " + strings.Join(j.Sweeps, " and ") + ", into one database"
}
