// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/show"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/trial"
)

// lastTrials is how many of the newest trials a page shows.
const lastTrials = 12

// A State is what a page shows of a run.
type State struct {
	Name    string   `json:"name"`
	Titles  []string `json:"titles"` // of the sweeps, in the order in which they were first run
	Running bool     `json:"running"`
	// Progress is what the run says, nil if it says nothing.
	Progress *show.LiveState `json:"progress"`
	// Trials counts those in the database by status, and All sums them up.
	Trials map[trial.Status]int `json:"trials"`
	All    int                  `json:"all"`
	Best   *term.Grid           `json:"best"`
	Last   *term.Grid           `json:"last"`
}

// read reads what a page shows of a database.
func read(ctx context.Context, db *store.DB) (s State, err error) {
	sweeps, err := db.Sweeps(ctx)
	trials, err2 := db.Count(ctx)
	best, err3 := db.Best(ctx, store.Filter{})
	last, err4 := db.Last(ctx, lastTrials)
	if err := cmp.Or(err, err2, err3, err4); err != nil {
		return s, err
	}
	s.Titles = lists.Of(sweeps, func(s store.Sweep) string { return term.Visible(show.TitleOf(s.Name, s.Title)) })
	s.Trials, s.Best, s.Last = trials, bestTable(best), lastTable(last)
	for _, n := range trials {
		s.All += n
	}
	return s, nil
}

// bestTable is the table of the best of each matrix. It names the device if there are several.
func bestTable(best []store.Best) *term.Grid {
	t := show.BestTable(best)
	if len(best) > 0 && best[0].Device != best[len(best)-1].Device {
		t.Columns = append(t.Columns, "device")
		for i := range t.Rows {
			t.Rows[i] = append(t.Rows[i], best[i].Device)
		}
	}
	t.DropEmpty()
	return t.Grid(term.Visible)
}

// lastTable is the table of the newest trials.
func lastTable(rows []store.Row) *term.Grid {
	t := term.Table{Columns: []string{"time of day", "matrix", "precision", "cache", "kernel", "block", "grid", "parameters",
		"status", "time", "GFLOP/s", "message"}}
	for i := range rows {
		r := &rows[i]
		var took, speed any
		if r.Status == trial.OK {
			took, speed = term.Quantity(term.Seconds(r.Time)), term.Quantity(term.Digits(r.GFLOPS))
		}
		t.Add(r.At.Local().Format("15:04:05"), r.Matrix, string(r.Precision), string(r.Cache), r.Kernel, show.Size(r.Block),
			show.Size(r.Grid), r.Params.String(), string(r.Status), took, speed, r.Message)
	}
	t.DropEmpty()
	return t.Grid(term.Visible)
}

// state answers what a page shows. It also says that a page is open.
func (s *Server) state(w http.ResponseWriter, r *http.Request) {
	state, err := s.watcher.state(r.Context())
	if err != nil {
		http.Error(w, term.Visible(err.Error()), http.StatusServiceUnavailable)
		return
	}
	report := "" // while the run has none that was made after it had ended
	info, err := os.Stat(filepath.Join(filepath.Dir(s.opt.Database), analysis.ReportFile))
	if err == nil && !state.Running && (state.Progress == nil || info.ModTime().After(state.Progress.At)) {
		report = info.ModTime().String()
	}
	figures, drawing := s.figures.wanted(state.Running)
	answer(w, r, struct {
		State
		Report  string `json:"report"`  // changes with it
		Figures string `json:"figures"` // changes with the map
		Drawing string `json:"drawing"` // why there are none, or none that are newer
	}{state, report, figures, drawing})
}

// A watcher reads what a page shows of a run, when it has changed.
type watcher struct {
	path, name string

	mu   sync.Mutex
	mark mark
	seen State
	// failed is why the data at the moment could not be read.
	failed error
	pace   pace
	// said is the last state of the run, heard when it changed.
	said  *show.LiveState
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
	s := show.ReadLive(filepath.Dir(w.path))
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
	db, err := w.open()
	if err != nil {
		return State{}, err
	}
	s, err := read(ctx, db)
	return s, errors.Join(err, db.Close())
}

// open opens the database as it is now: another file may have taken the place of the last one.
func (w *watcher) open() (*store.DB, error) {
	if _, err := os.Stat(w.path); errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("the database is not there yet, or not any more: " + w.path)
	}
	return store.OpenReadOnly(w.path)
}

// Limits of a query.
const (
	queryRows  = 1000
	queryBytes = 4 << 20 // of all cells of an answer
	cellBytes  = 4 << 10 // of a cell; more is cut
	queryText  = 16 << 10
)

// Limits of the time of a query; the second one holds where the run has to wait for it. Tests change
// them.
var queryTime, patientTime = 10 * time.Second, time.Second

// errEnough ends a query whose answer is longer than what is shown.
var errEnough = errors.New("enough")

// An answerTable is the answer to a query.
type answerTable struct {
	*term.Grid
	// Note says what is left out.
	Note    string  `json:"note"`
	Seconds float64 `json:"seconds"`
}

// query answers SQL, or the name of a view.
func (s *Server) query(w http.ResponseWriter, r *http.Request) {
	sql := r.URL.Query().Get("sql")
	if len(sql) > queryText {
		http.Error(w, fmt.Sprintf("the query has more than %d KB: spmvtune query takes a longer one", queryText>>10),
			http.StatusRequestEntityTooLarge)
		return
	}
	select {
	case s.queries <- struct{}{}:
		defer func() { <-s.queries }()
	default:
		busy(w, fmt.Sprintf("%d queries are running already", mostQueries))
		return
	}
	db, err := s.watcher.open()
	if err != nil {
		http.Error(w, term.Visible(err.Error()), http.StatusServiceUnavailable)
		return
	}
	defer db.Close() // it was only read
	limit := s.limit(r.Context(), db)
	ctx, cancel := context.WithTimeout(r.Context(), limit)
	defer cancel()
	t, err := run(ctx, db, sql)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("the query did not end within %s: spmvtune query has no such limit", limit)
	}
	if err != nil {
		http.Error(w, term.Visible(err.Error()), http.StatusBadRequest)
		return
	}
	answer(w, r, t)
}

// limit is how long a query may take. A database with a rollback journal, as on a network file
// system, is not written while it is read, so a run would wait.
func (s *Server) limit(ctx context.Context, db *store.DB) time.Duration {
	mode, err := db.Query(ctx, "PRAGMA journal_mode")
	if err == nil && len(mode.Rows) == 1 && mode.Rows[0][0] == "wal" {
		return queryTime
	}
	s.watcher.mu.Lock()
	defer s.watcher.mu.Unlock()
	if s.watcher.running() {
		return patientTime
	}
	return queryTime
}

// run runs SQL within the limits of rows and bytes.
func run(ctx context.Context, db *store.DB, sql string) (t answerTable, err error) {
	began, size := time.Now(), 0
	var all term.Table
	err = db.Each(ctx, sql, func(columns []string) error {
		all.Columns = columns
		return nil
	}, func(row []any) error {
		if len(all.Rows) == queryRows {
			t.Note = fmt.Sprintf("only the first %d rows are shown: spmvtune query gives all", queryRows)
			return errEnough
		}
		for i, v := range row {
			row[i] = cell(v)
			size += len(fmt.Sprint(row[i]))
		}
		if size > queryBytes {
			t.Note = fmt.Sprintf("only the first %d rows are shown, of %d MB: spmvtune query gives all", len(all.Rows),
				queryBytes>>20)
			return errEnough
		}
		all.Add(row...)
		return nil
	})
	if err == errEnough {
		err = nil
	}
	t.Grid, t.Seconds = all.Grid(term.Visible), time.Since(began).Seconds()
	return t, err
}

// cell is a value, as a text where it is long.
func cell(v any) any {
	switch v := v.(type) {
	case []byte:
		const shown = 16
		if len(v) <= shown {
			return hex.EncodeToString(v)
		}
		return fmt.Sprintf("%x… (%s)", v[:shown], term.Bytes(int64(len(v))))
	case string:
		if len(v) > cellBytes {
			return strings.ToValidUTF8(v[:cellBytes], "") + "…"
		}
	}
	return v
}

// views answers what the columns of the views mean.
func (s *Server) views(w http.ResponseWriter, r *http.Request) { answer(w, r, store.Explained()) }
