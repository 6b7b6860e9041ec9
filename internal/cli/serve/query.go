package serve

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"spmvtune/internal/base/term"
	"spmvtune/store"
)

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
