package show

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"spmvtune/internal/base/term"
	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// A progressLine is the state that the progress line shows.
type progressLine struct {
	// done and total count trials, including those of earlier runs.
	done, total int
	// atMost says that a search decides how many trials there are. total is then the upper bound.
	atMost bool
	// rate is the speed of this run in trials per second, 0 if it is not known yet.
	rate float64
	// left is the time left. It is shown if it is foreseen.
	left     time.Duration
	foreseen bool
	// repeating says that leaders are measured once more.
	repeating bool
	matrices  int
	progressMatrix
}

// A progressMatrix is what the progress line says of a matrix.
type progressMatrix struct {
	// index is its number in the order of the run, from 0.
	index    int
	matrix   string
	nonzeros int
	// trials are planned on it, of which done are over.
	trials, done int
	// best is the fastest of leaders, which are the best of each precision and cache state so far, in
	// the order of their first trial.
	best    Leader
	leaders []Leader
}

// A Leader is the best configuration so far of a matrix in a precision and cache state.
type Leader struct {
	Config kernels.Config
	Cache  trial.Cache
	// Seconds is its time, 0 if there is none. GBPS is 0 if it is not known.
	Seconds, GFLOPS, GBPS float64
}

// setting is the configuration but for its kernel.
func (l *Leader) setting() string { return strings.TrimPrefix(l.Config.String(), l.Config.Kernel+" ") }

// share is how much is done, from 0 to 1.
func (s progressLine) share() float64 { return float64(s.done) / float64(max(s.total, s.done, 1)) }

// draw returns s as one line of a terminal, with a bar if there is room.
func (s progressLine) draw(width int) string {
	if width < 100 {
		return s.fit(width)
	}
	n := min((width-60)/4, 30)
	full := int(s.share() * float64(n))
	bar := strings.Repeat("█", full) + strings.Repeat("░", n-full) + "  "
	return bar + s.fit(width-text.StringWidth(bar))
}

// fit returns as much of s as fits the width. It leaves out the configuration first, then its
// time, then the matrix.
func (s progressLine) fit(width int) string {
	counts := fmt.Sprintf("%d/%d  %d%%", s.done, s.total, int(100*s.share()))
	left := "left"
	if s.atMost {
		counts, left = fmt.Sprintf("%d of at most %d", s.done, s.total), "left at most"
	}
	pace := ""
	if s.rate > 0 {
		pace = fmt.Sprintf("  %s/s", PerSecond(s.rate))
	}
	if s.foreseen {
		pace += fmt.Sprintf("  %s %s", s.left.Round(time.Second), left)
	}
	where := fmt.Sprintf("  [%d/%d]", s.index+1, s.matrices)
	name := " " + s.matrix
	if s.repeating {
		name += ", repeat runs"
	}

	head := counts + pace + where
	lines := []string{head + name, head, counts + pace, counts}
	if s.best.Seconds > 0 {
		kernel := " best so far " + s.best.Config.Kernel
		took, speed := " "+term.Seconds(s.best.Seconds), " "+term.Digits(s.best.GFLOPS)+" GFLOP/s"
		lines = append([]string{
			head + name + ":" + kernel + " " + s.best.setting() + took + speed,
			head + name + ":" + kernel + took + speed,
			head + name + ":" + kernel + speed,
			head + kernel + speed,
		}, lines...)
	}

	for _, line := range lines {
		if text.StringWidth(line) <= width {
			return line
		}
	}

	return text.Trim(counts, width)
}

// PerSecond prints a rate with the digits that matter.
func PerSecond(rate float64) string {
	switch {
	case rate >= 10:
		return fmt.Sprintf("%.0f", rate)
	case rate >= 1:
		return fmt.Sprintf("%.1f", rate)
	default:
		return fmt.Sprintf("%.2f", rate)
	}
}

// lead makes a configuration the best so far of its precision and cache state if it is faster.
func (m *progressMatrix) lead(l Leader) {
	if m.best.Seconds == 0 || l.Seconds < m.best.Seconds {
		m.best = l
	}
	i := slices.IndexFunc(m.leaders, func(o Leader) bool {
		return o.Config.Precision == l.Config.Precision && o.Cache == l.Cache
	})
	switch {
	case i < 0:
		m.leaders = append(m.leaders, l)
	case l.Seconds < m.leaders[i].Seconds:
		m.leaders[i] = l
	}
}
