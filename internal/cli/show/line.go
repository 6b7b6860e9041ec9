package show

import (
	"fmt"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"spmvtune/internal/term"
)

// A progressLine is the state that the progress line shows.
type progressLine struct {
	// done and total count trials, including those of earlier runs.
	done, total int
	// atMost says that a search decides how many trials there are. total is then the upper bound.
	atMost bool
	// rate is the speed of this run in trials per second, 0 if it is not known yet.
	rate float64
	// left is the time left at this rate. It is shown if it is foreseen.
	left     time.Duration
	foreseen bool
	matrices int
	progressMatrix
}

// A progressMatrix is what the progress line says of a matrix.
type progressMatrix struct {
	// index is its number in the order of the run, from 0.
	index    int
	matrix   string
	nonzeros int
	// kernel and setting are the best configuration so far, "" if there is none.
	kernel, setting string
	// best is its time in seconds.
	best, gflops float64
}

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

	head := counts + pace + where
	lines := []string{head + name, head, counts + pace, counts}
	if s.kernel != "" {
		kernel, took, speed := " "+s.kernel, " "+term.Seconds(s.best), " "+term.Digits(s.gflops)+" GFLOP/s"
		lines = append([]string{
			head + name + ":" + kernel + " " + s.setting + took + speed,
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
