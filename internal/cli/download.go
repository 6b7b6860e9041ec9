package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"spmvtune/configs"
	"spmvtune/internal/term"
	"spmvtune/sparse/fetch"
	"spmvtune/tuner"
)

// flagOffline is the flag --offline of the commands that may download.
func flagOffline(cmd *cobra.Command, offline *bool) {
	cmd.Flags().BoolVar(offline, "offline", false, "download nothing: use the matrices that are here ("+fetch.EnvOffline+"=1 does the same)")
}

// newSettler returns the settler of matrices to download, which shows on p what it does.
// p may be nil.
func newSettler(offline bool, p *progress) (*tuner.Settler, error) {
	s, err := tuner.NewSettler()
	if err != nil {
		return nil, err
	}
	s.Collection.Offline = s.Collection.Offline || offline
	if p != nil {
		s.Collection.Notify = (&downloads{p: p}).notify
	}
	return s, nil
}

// downloads shows how downloads go: a line that is drawn anew on a terminal, else one
// when a download begins and one when it ends.
type downloads struct {
	p     *progress
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
		d.p.clear()
		fmt.Fprintf(d.p.w, "%s: %v: again in %s\n", e.ID, e.Err, e.Pause.Round(100*time.Millisecond))
	case fetch.Done:
		d.p.clear()
		fmt.Fprintf(d.p.w, "downloaded %s, %s in %s\n", e.ID, bytesText(e.Have), term.RoughSeconds(time.Since(d.began).Seconds()))
		d.id = fetch.ID{}
	}
}

// ofSize says how much there is to come.
func ofSize(n int64) string {
	if n < 0 {
		return ""
	}
	return ", " + bytesText(n)
}

// amount says how much has come, how fast, and how long the rest takes.
func (d *downloads) amount(e fetch.Progress) string {
	var b strings.Builder
	b.WriteString(bytesText(e.Have))
	if e.Size >= 0 {
		fmt.Fprintf(&b, " of %s", bytesText(e.Size))
	}
	if seconds := time.Since(d.began).Seconds(); seconds > 1 && e.Have > d.from {
		rate := float64(e.Have-d.from) / seconds
		fmt.Fprintf(&b, "  %s/s", bytesText(int64(rate)))
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

// settleSweep returns a copy of sweep whose matrices are settled, which downloads those
// that are missing, and what is to be said about it.
func settleSweep(ctx context.Context, w io.Writer, sweep *configs.Sweep, offline bool) (*configs.Sweep, []string, error) {
	show := newProgress(w, w)
	settler, err := newSettler(offline, show)
	if err != nil {
		return nil, nil, err
	}
	defer show.clear()
	settled := *sweep
	settled.Matrices = nil
	var notes []string
	var errs []error
	for _, m := range sweep.Matrices {
		m, why, err := settler.Settle(ctx, m)
		if ctx.Err() != nil {
			return nil, nil, err
		}
		if why != nil {
			notes = append(notes, m.Substitution(why))
		}
		errs = append(errs, err)
		settled.Matrices = append(settled.Matrices, m)
	}
	return &settled, notes, errors.Join(errs...)
}

// foreseeSweep returns a copy of sweep whose matrices are settled as far as that is
// known without a download, and what is to be said about the others.
func foreseeSweep(sweep *configs.Sweep, offline bool) (*configs.Sweep, []string, error) {
	settler, err := newSettler(offline, nil)
	if err != nil {
		return nil, nil, err
	}
	settled := *sweep
	settled.Matrices = nil
	var notes []string
	for _, m := range sweep.Matrices {
		m = settler.Foresee(m)
		switch {
		case m.Settled():
		case m.HasTwin():
			notes = append(notes, fmt.Sprintf("%s is not downloaded yet, which submit does first: the plan is that of its twin", m.Name))
		default:
			notes = append(notes, fmt.Sprintf("%s is not downloaded yet, which submit does first: its size is unknown, and the plan leaves out its time", m.Name))
		}
		settled.Matrices = append(settled.Matrices, m)
	}
	return &settled, notes, nil
}
