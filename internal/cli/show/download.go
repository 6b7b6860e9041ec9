package show

import (
	"fmt"
	"strings"
	"time"

	"spmvtune/internal/term"
	"spmvtune/sparse/fetch"
)

// downloads shows how downloads go: a line that is drawn anew on a terminal, else one
// when a download begins and one when it ends.
type downloads struct {
	p     *Progress
	id    fetch.ID // of the one that is shown
	began time.Time
	from  int64 // bytes that were there when it began
	drawn time.Time
}

func (d *downloads) notify(e fetch.Progress) {
	if e.State == fetch.Waiting {
		d.p.say(d.p.w, fmt.Sprintf("waiting for another process, which downloads %s", e.ID))
		return
	}
	if d.id != e.ID {
		d.id, d.began, d.from = e.ID, time.Now(), e.Have
		if d.p.width == nil {
			fmt.Fprintf(d.p.w, "downloading %s%s from %s\n", e.ID, ofSize(e.Size), e.URL)
		}
	}
	switch e.State {
	case fetch.Downloading:
		d.draw(fmt.Sprintf("downloading %s  %s", e.ID, d.amount(e)))
	case fetch.Checking:
		d.draw(fmt.Sprintf("checking %s", e.ID))
	case fetch.Retrying:
		d.p.Clear()
		fmt.Fprintf(d.p.w, "%s: %v: again in %s\n", e.ID, e.Err, e.Pause.Round(100*time.Millisecond))
	case fetch.Done:
		d.p.Clear()
		fmt.Fprintf(d.p.w, "downloaded %s, %s in %s\n", e.ID, term.Bytes(e.Have), term.RoughSeconds(time.Since(d.began).Seconds()))
		d.id = fetch.ID{}
	}
}

// ofSize says how much there is to come.
func ofSize(n int64) string {
	if n < 0 {
		return ""
	}
	return ", " + term.Bytes(n)
}

// amount says how much has come, how fast, and how long the rest takes.
func (d *downloads) amount(e fetch.Progress) string {
	var b strings.Builder
	b.WriteString(term.Bytes(e.Have))
	if e.Size >= 0 {
		fmt.Fprintf(&b, " of %s", term.Bytes(e.Size))
	}
	if seconds := time.Since(d.began).Seconds(); seconds > 1 && e.Have > d.from {
		rate := float64(e.Have-d.from) / seconds
		fmt.Fprintf(&b, "  %s/s", term.Bytes(int64(rate)))
		if e.Size >= 0 {
			fmt.Fprintf(&b, "  %s left", term.RoughSeconds(float64(e.Size-e.Have)/rate))
		}
	}
	return b.String()
}

// draw draws the line of a terminal anew, not too often.
func (d *downloads) draw(line string) {
	if d.p.width == nil || time.Since(d.drawn) < drawEvery {
		return
	}
	d.drawn = time.Now()
	if r, width := []rune(line), d.p.width()-1; len(r) > width {
		line = string(r[:max(width, 0)])
	}
	fmt.Fprint(d.p.w, eraseLine+line)
	d.p.drawn = true
}
