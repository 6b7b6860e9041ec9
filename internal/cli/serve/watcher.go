package serve

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"spmvtune/internal/cli/live"
	"spmvtune/store"
)

// A watcher reads what a page shows of a run, when it has changed.
type watcher struct {
	path, name string

	mu   sync.Mutex
	db   *store.DB
	file os.FileInfo // of db
	mark mark
	seen State
	pace pace
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
	if now := markOf(w.path); now != w.mark && w.pace.ready(lookRest, lookShare) {
		began := time.Now()
		db, err := w.open()
		if err != nil {
			return State{}, err
		}
		seen, err := read(ctx, db)
		if err != nil {
			return State{}, err
		}
		w.seen, w.mark = seen, now
		w.pace.worked(began)
	}
	s := w.seen
	s.Name, s.Running, s.Progress = w.name, running, w.said
	return s, nil
}

// open returns the database, opened anew where another file has taken its place.
func (w *watcher) open() (*store.DB, error) {
	info, err := os.Stat(w.path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("the database is not there yet, or not any more: " + w.path)
		}
		return nil, err
	}
	if w.db != nil && os.SameFile(info, w.file) {
		return w.db, nil
	}
	if w.db != nil {
		if err := w.db.Close(); err != nil {
			return nil, err
		}
		w.db = nil
	}
	db, err := store.OpenReadOnly(w.path)
	if err == nil {
		w.db, w.file = db, info
	}
	return db, err
}

// database returns the database for a query.
func (w *watcher) database() (*store.DB, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.open()
}

func (w *watcher) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.db == nil {
		return nil
	}
	defer func() { w.db = nil }()
	return w.db.Close()
}
