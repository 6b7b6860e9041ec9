package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"spmvtune/tuner/trial"
)

// recorded is what decides whether another result of an identity replaces that which
// is there.
type recorded struct {
	status trial.Status
	at     int64
}

// lookUp finds which of the pending results' identities are recorded, all at once.
func (imp *importer) lookUp(ctx context.Context) (map[string]recorded, error) {
	ids := make([]string, 0, imp.results)
	for _, b := range imp.pending {
		for _, r := range b.Results {
			ids = append(ids, r.ID)
		}
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	rows, err := imp.tx.QueryContext(ctx, `SELECT t.identity, t.status, t.measured_at
		FROM json_each(?) ids CROSS JOIN trial t ON t.identity = ids.value`, string(list))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	known := make(map[string]recorded, len(ids))
	for rows.Next() {
		var id string
		var r recorded
		if err := rows.Scan(&id, &r.status, &r.at); err != nil {
			return nil, err
		}
		known[id] = r
	}
	return known, rows.Err()
}

// perInsert is how many rows a statement inserts: each has its cost, whatever it does.
const perInsert = 32

// inserts are trials that are to be inserted, none of which is recorded. Their ids are
// given here, which nobody else does as long as the transaction goes on.
type inserts struct {
	next   int64 // id
	queue  []newTrial
	trial  [2]*sql.Stmt // for one row, and for perInsert
	sample [2]*sql.Stmt
	twins  *sql.Stmt // of the trials from an id on, those whose configuration others have, too
}

type newTrial struct {
	keys   trialKeys
	result trial.Result
}

func prepareInserts(ctx context.Context, tx *sql.Tx) (i inserts, err error) {
	if err := tx.QueryRowContext(ctx, "SELECT ifnull(max(id), 0) + 1 FROM trial").Scan(&i.next); err != nil {
		return i, err
	}
	columns := append([]string{"id"}, trialColumns...)
	for at, rows := range []int{1, perInsert} {
		for _, s := range []struct {
			stmt    **sql.Stmt
			table   string
			columns []string
		}{
			{&i.trial[at], "trial", columns},
			{&i.sample[at], "sample", []string{"trial", "data"}},
		} {
			row := "(?" + strings.Repeat(", ?", len(s.columns)-1) + ")"
			text := fmt.Sprintf("INSERT INTO %s (%s) VALUES %s%s", s.table, strings.Join(s.columns, ", "), row, strings.Repeat(", "+row, rows-1))
			if *s.stmt, err = tx.PrepareContext(ctx, text); err != nil {
				return i, err
			}
		}
	}
	i.twins, err = tx.PrepareContext(ctx, `
		SELECT n.id FROM trial n CROSS JOIN kernel k ON k.id = n.kernel
		WHERE n.id >= ? AND EXISTS (
			SELECT 1 FROM kernel o CROSS JOIN trial t
				ON t.matrix = n.matrix AND t.device = n.device AND t.precision = n.precision AND t.cache = n.cache
					AND t.kernel = o.id AND t.params = n.params AND t.grid = n.grid AND t.block = n.block
			WHERE o.name = k.name AND t.id <> n.id)`)
	return i, err
}

func (i *inserts) add(k trialKeys, r trial.Result) { i.queue = append(i.queue, newTrial{k, r}) }

// flush inserts the queue, and decides which trials are in force.
func (imp *importer) flush(ctx context.Context) error {
	i := &imp.inserts
	if len(i.queue) == 0 {
		return nil
	}
	first := i.next
	var trials, samples, readings [][]any
	for _, n := range i.queue {
		trials = append(trials, append([]any{i.next}, trialValues(n.keys, n.result)...))
		if len(n.result.Samples) > 0 {
			samples = append(samples, []any{i.next, pack(n.result.Samples)})
		}
		if n.result.Telemetry != nil {
			readings = append(readings, readingValues(i.next, *n.result.Telemetry))
		}
		i.next++
	}
	if err := insertRows(ctx, i.trial, trials); err != nil {
		return err
	}
	if err := insertRows(ctx, i.sample, samples); err != nil {
		return err
	}
	for _, r := range readings {
		if _, err := imp.stmts.reading.ExecContext(ctx, r...); err != nil {
			return err
		}
	}
	rows, err := i.twins.QueryContext(ctx, first)
	if err != nil {
		return err
	}
	defer rows.Close()
	var twins []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return err
		}
		twins = append(twins, id)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, id := range twins {
		n := i.queue[id-first]
		if err := supersede(ctx, imp.stmts, n.keys, n.result); err != nil {
			return err
		}
	}
	clear(i.queue)
	i.queue = i.queue[:0]
	return nil
}

// insertRows inserts by the statement for one row and that for perInsert.
func insertRows(ctx context.Context, stmts [2]*sql.Stmt, rows [][]any) error {
	var values []any
	for len(rows) > 0 {
		n, stmt := 1, stmts[0]
		if len(rows) >= perInsert {
			n, stmt = perInsert, stmts[1]
		}
		values = values[:0]
		for _, row := range rows[:n] {
			values = append(values, row...)
		}
		if _, err := stmt.ExecContext(ctx, values...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}
