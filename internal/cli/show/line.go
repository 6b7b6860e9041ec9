package show

import (
	"fmt"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"spmvtune/internal/term"
)

// A progressLine is what progress has to tell.
type progressLine struct {
	done, total     int           // trials, earlier runs' included
	atMost          bool          // there may be fewer in all: a search decides
	rate            float64       // of this run, trials per second; 0: not known yet
	left            time.Duration // at this rate
	index, matrices int           // the matrix being measured, from 0, of how many
	matrix          string
	kernel, setting string  // the best configuration so far; "" if there is none
	best            float64 // its time in seconds
	gflops          float64
}

// share is how much is done, from 0 to 1.
func (s progressLine) share() float64 { return float64(s.done) / float64(max(s.total, s.done, 1)) }

// draw gives s as one line of a terminal, with a bar where there is room.
func (s progressLine) draw(width int) string {
	if width < 100 {
		return s.fit(width)
	}
	n := min((width-60)/4, 30)
	full := int(s.share() * float64(n))
	bar := strings.Repeat("█", full) + strings.Repeat("░", n-full) + "  "
	return bar + s.fit(width-text.StringWidth(bar))
}

// fit gives as much of s as goes into one line of the width: first the
// configuration is left out, then its time, then the matrix.
func (s progressLine) fit(width int) string {
	counts := fmt.Sprintf("%d/%d  %d%%", s.done, s.total, int(100*s.share()))
	left := "left"
	if s.atMost {
		counts, left = fmt.Sprintf("%d of at most %d", s.done, s.total), "left at most"
	}
	pace := ""
	if s.rate > 0 {
		pace = fmt.Sprintf("  %s/s  %s %s", PerSecond(s.rate), s.left.Round(time.Second), left)
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
