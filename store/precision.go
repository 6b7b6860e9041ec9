package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"spmvtune/tuner/trial"
)

// A Precision says how well a trial that is ok was measured.
type Precision struct {
	Sweep, Hash string // the sweep that measured it, see Sweep
	Stop        trial.Stop
	HalfWidth   float64 // the longer arm of the 95% interval, as a fraction of the median
}

// Precisions returns how well the good trials were measured, of each
// configuration the one recorded last, ordered by sweep, reason and width.
func (db *DB) Precisions(ctx context.Context) ([]Precision, error) {
	names := interner{}
	list, err := collect(ctx, db.read, func(rows *sql.Rows) (p Precision, err error) {
		err = rows.Scan(&p.Sweep, &p.Hash, &p.Stop, orNaN{&p.HalfWidth})
		for _, s := range []*string{&p.Sweep, &p.Hash, (*string)(&p.Stop)} {
			intern(names, s)
		}
		return p, err
	}, `SELECT s.name, s.hash, ifnull(t.stop, ''), max(t.high - t.median, t.median - t.low) / t.median
		FROM trial t JOIN sweep s ON s.id = t.sweep
		WHERE t.superseded = 0 AND t.status = 'ok'`)
	if err != nil {
		return nil, fmt.Errorf("reading precision: %w", failed(db.path, err))
	}
	slices.SortFunc(list, func(a, b Precision) int {
		return cmp.Or(cmp.Compare(a.Sweep, b.Sweep), cmp.Compare(a.Hash, b.Hash), cmp.Compare(a.Stop, b.Stop), cmp.Compare(a.HalfWidth, b.HalfWidth))
	})
	return list, nil
}
