// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"strings"
	"time"

	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/sparse/fetch"
	"example.org/spmvtune/tuner/matrix"
)

// NewTrials says why n trials are measured, though others of the sweep were measured before.
func NewTrials(why string, n int) string {
	return fmt.Sprintf("%s: %s new", why, term.Count(n, "trial is", "trials are"))
}

// NonFinite warns of a matrix with NaN or infinite values.
func NonFinite(name string, n int) string {
	return fmt.Sprintf("%s has %s not finite (NaN or infinite)", name,
		term.Count(n, "value that is", "values that are"))
}

// Devices names the device of a run, and how many of them there are.
func Devices(n int, name string) string {
	if n == 1 {
		return name
	}
	return fmt.Sprintf("%d × %s", n, name)
}

// downloads shows how downloads go: by a line that is redrawn on a terminal, elsewhere by a line
// when a download begins and one when it ends.
type downloads struct {
	p *Progress
	// id is the matrix that is being downloaded.
	id    fetch.ID
	began time.Time
	// from counts the bytes that were there when it began.
	from  int64
	drawn time.Time
}

// notify shows the state of a download.
func (d *downloads) notify(e fetch.Progress) {
	d.p.mu.Lock()
	defer d.p.mu.Unlock()
	if e.State == fetch.Waiting {
		d.p.say(d.p.w, fmt.Sprintf("waiting for another process that downloads %s", e.ID))
		return
	}

	if d.id != e.ID {
		d.id, d.began, d.from = e.ID, time.Now(), e.Have
		if d.p.line.size == nil {
			d.p.print(d.p.w, fmt.Sprintf("downloading %s%s from %s", e.ID, ofSize(e.Size), e.URL))
		}
	}

	switch e.State {
	case fetch.Downloading:
		d.draw(fmt.Sprintf("downloading %s  %s", e.ID, d.amount(e)))
	case fetch.Checking:
		d.draw(fmt.Sprintf("checking %s", e.ID))
	case fetch.Retrying:
		d.p.print(d.p.w, fmt.Sprintf("%s: %v: trying again in %s", e.ID, e.Err, e.Pause.Round(100*time.Millisecond)))
	case fetch.Done:
		d.p.print(d.p.w, fmt.Sprintf("downloaded %s, %s in %s", e.ID, term.Bytes(e.Have),
			term.RoughSeconds(time.Since(d.began).Seconds())))
		d.id = fetch.ID{}
	}
}

// ofSize prints the size of a download, if it is known.
func ofSize(n int64) string {
	if n < 0 {
		return ""
	}
	return ", " + term.Bytes(n)
}

// amount prints how much has arrived, how fast, and the time left.
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

// draw redraws the line of a terminal, not too often.
func (d *downloads) draw(line string) {
	if d.p.line.size == nil || time.Since(d.drawn) < drawEvery {
		return
	}
	d.drawn = time.Now()
	d.p.draw(line)
}

// NewResolver returns a resolver of matrices whose downloads p shows. p may be nil.
func NewResolver(offline bool, p *Progress) (*matrix.Resolver, error) {
	r, err := matrix.NewResolver()
	if err != nil {
		return nil, err
	}
	r.Collection.Offline = r.Collection.Offline || offline
	if p != nil {
		r.Collection.Notify = (&downloads{p: p}).notify
	}
	return r, nil
}
