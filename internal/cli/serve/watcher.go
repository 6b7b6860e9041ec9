package serve

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/live"
)

// A watcher reads what a page shows of a run, when it has changed.
type watcher struct {
	path, name string

	mu   sync.Mutex
	open *opened
	mark mark
	seen State
	// failed is why the data at the moment could not be read.
	failed error
	pace   pace
	// said is the last state of the run, heard when it changed.
	said  *live.State
	heard time.Time
}

// A mark tells whether a database has changed, without reading it.
type mark struct {
	size, log       int64
	changed, logged time.Time
}

// markOf looks at the database and its log. One that is not there has no mark.
func markOf(path string) (m mark) {
	if info, err := os.Stat(path); err == nil {
		m.size, m.changed = info.Size(), info.ModTime()
	}
	// Whoever reads leaves an empty log.
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 {
		m.log, m.logged = info.Size(), info.ModTime()
	}
	return m
}

// A pace makes work rest for many times as long as it took.
type pace struct {
	ended time.Time
	took  time.Duration
}

// ready reports whether it is time again: after least, and after factor times the time of the work.
func (p *pace) ready(least, factor time.Duration) bool {
	return time.Since(p.ended) >= max(least, factor*p.took)
}

// worked notes that work which began at a time is done.
func (p *pace) worked(began time.Time) { p.ended, p.took = time.Now(), time.Since(began) }

// silent is after what time a run that says nothing counts as gone.
const silent = 15 * time.Second

// running reports whether the run says that it measures. Clocks of two machines may differ, so that
// what counts is when it last said something else, where that was seen.
func (w *watcher) running() bool {
	s := live.Read(filepath.Dir(w.path))
	switch {
	case s == nil:
		w.said = nil
		return false
	case w.said == nil:
		w.heard = s.At
	case !s.At.Equal(w.said.At):
		w.heard = time.Now()
	}
	w.said = s
	return s.Ended == "" && time.Since(w.heard) < silent
}

// The tables of a page are read again after a second, and take a thirtieth of a processor at most.
const (
	lookRest  = time.Second
	lookShare = 30
)

// state returns what a page shows.
func (w *watcher) state(ctx context.Context) (State, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	running := w.running()
	if now := markOf(w.path); (now != w.mark || w.failed != nil) && w.pace.ready(lookRest, lookShare) {
		began := time.Now()
		seen, err := w.look(ctx)
		w.pace.worked(began)
		if err != nil && ctx.Err() != nil {
			return State{}, err // this page has gone
		}
		if w.failed = err; err == nil {
			w.seen, w.mark = seen, now
		}
	}
	if w.failed != nil {
		return State{}, w.failed
	}
	s := w.seen
	s.Name, s.Running, s.Progress = term.Visible(w.name), running, nil
	if w.said != nil {
		p := *w.said
		p.Sweep, p.Device, p.Matrix = term.Visible(p.Sweep), term.Visible(p.Device), term.Visible(p.Matrix)
		s.Progress = &p
	}
	return s, nil
}

// look reads the database.
func (w *watcher) look(ctx context.Context) (State, error) {
	db, err := w.current()
	if err != nil {
		return State{}, err
	}
	return read(ctx, db)
}
