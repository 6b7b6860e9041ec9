package serve

import (
	"errors"
	"io/fs"
	"os"

	"spmvtune/store"
)

// An opened is a database that requests use. It is closed when the last one of them has ended after another file has
// taken its place.
type opened struct {
	db   *store.DB
	file os.FileInfo
	used int  // by how many requests
	left bool // for another file
}

// database returns the database for a request, which calls done in the end.
func (w *watcher) database() (db *store.DB, done func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if db, err = w.current(); err != nil {
		return nil, nil, err
	}
	o := w.open
	o.used++
	return db, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if o.used--; o.used == 0 && o.left {
			_ = o.db.Close() // it was only read, and its file is gone
		}
	}, nil
}

// current returns the database, opened anew where another file has taken its place. The caller holds the lock.
func (w *watcher) current() (*store.DB, error) {
	info, err := os.Stat(w.path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("the database is not there yet, or not any more: " + w.path)
		}
		return nil, err
	}
	if w.open != nil && os.SameFile(info, w.open.file) {
		return w.open.db, nil
	}
	if err := w.leave(); err != nil {
		return nil, err
	}
	db, err := store.OpenReadOnly(w.path)
	if err != nil {
		return nil, err
	}
	w.open = &opened{db: db, file: info}
	return db, nil
}

// leave closes the database that is open, or lets its last request do so.
func (w *watcher) leave() error {
	o := w.open
	if w.open = nil; o == nil {
		return nil
	}
	if o.left = true; o.used > 0 {
		return nil
	}
	return o.db.Close()
}

func (w *watcher) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.leave()
}
