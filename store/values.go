package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"spmvtune/tuner/trial"
)

// A bound is what the values of some columns are between, in every file that some version of this
// program wrote. Null is within it.
type bound struct {
	what    string // with the number of the row
	columns string
	lo, hi  float64
}

// What reads values takes for granted that they are within these bounds: others are in a damaged
// file, or in one that somebody made.
var bounds = []struct {
	table string
	since int // schema that has the table
	list  []bound
}{
	{table: "trial", list: []bound{
		{"the time of trial %d is not between a femtosecond and a million days", "median", 1e-15, longest},
		{"the interval of trial %d is not one of times", "low high", 0, longest},
		{"the block or grid of trial %d is not between 0 and 2147483647", "block grid", 0, math.MaxInt32},
		{"the bytes of trial %d are not above 0", "bytes_min bytes_kernel", 1, 1e18},
		{"the moment of trial %d is not within ten thousand years", "measured_at", -1e14, 3e14},
		{"the parameters of trial %d are too long", "length(params)", 0, 1000},
	}},
	{table: "matrix", list: []bound{
		{"the numbers of rows, columns and nonzeros of matrix %d are not sizes", "rows cols nonzeros", 0, 1e15},
		{noLength, "row_mean row_std", 0, 1e15},
		{noLength, "row_min row_p25 row_median row_p75 row_p90 row_p99 row_max empty_rows cols_used bandwidth",
			-1, 1e15},
		{"the name or class of matrix %d is too long", "length(name) length(class)", 0, trial.LongestStored},
	}},
	{table: "device", list: []bound{
		{"the bandwidth of device %d is not between 0 and a billion GB/s", "roof_read roof_copy roof_triad", 0, 1e9},
		{"the name of device %d is too long", "length(name) length(backend) length(model) length(driver)", 0, trial.LongestStored},
	}},
	{table: "kernel", list: []bound{
		{"the name of kernel %d is too long", "length(name) length(paper) length(format)", 0, trial.LongestStored},
	}},
	{table: "sweep", list: []bound{{"the name of sweep %d is too long", "length(name)", 0, trial.LongestStored}}},
	{table: "sentinel", since: schemaSentinel, list: []bound{
		{noTime, "median", 1e-15, longest}, {noTime, "low high", 0, longest},
	}},
}

const (
	longest  = 1e11 // seconds
	noLength = "a feature of matrix %d is no length of rows"
	noTime   = "the repeat in row %d has a time that is none"
)

// tableNames are the tables of this program, of whatever version.
var tableNames = regexp.MustCompile(`CREATE TABLE (\w+)`)

// checkKinds refuses a database in which something else than a table has the name of one.
func checkKinds(ctx context.Context, db *sql.DB, path string) error {
	others, err := texts(ctx, db, "SELECT name FROM sqlite_master WHERE type <> 'table'")
	if err != nil {
		return failed(path, err)
	}
	for _, m := range migrations {
		for _, table := range tableNames.FindAllStringSubmatch(m, -1) {
			if slices.Contains(others, table[1]) {
				return foreign{fmt.Errorf("database %s: %s is a view, and must be a table: a program other than "+
					"spmvtune has changed the file", path, table[1])}
			}
		}
	}
	return nil
}

// checkValues refuses a database with values that no version of this program writes, and with
// triggers that are not its own.
func checkValues(ctx context.Context, path string, options url.Values, schema int) (err error) {
	db := connect(path, options, nil)
	defer func() { err = errors.Join(err, db.Close()) }()
	triggers, err := texts(ctx, db, "SELECT sql FROM sqlite_master WHERE type = 'trigger'")
	if err != nil {
		return failed(path, err)
	}
	for _, text := range triggers {
		if !slices.ContainsFunc(migrations, func(m string) bool { return strings.Contains(m, text) }) {
			return foreign{fmt.Errorf("database %s: it has a trigger that is not this program's: %.200q", path, text)}
		}
	}

	if err := checkKinds(ctx, db, path); err != nil {
		return err
	}

	var table, parent string
	err = db.QueryRowContext(ctx, `SELECT "table", parent FROM pragma_foreign_key_check LIMIT 1`).Scan(&table, &parent)
	switch {
	case err == nil:
		return fmt.Errorf("database %s: a row of %s belongs to a %s that is not there: %w", path, table, parent,
			errDamaged)
	case !errors.Is(err, sql.ErrNoRows):
		return failed(path, err)
	}

	for _, t := range bounds {
		if schema < t.since {
			continue
		}
		if err := checkTable(ctx, db, t.table, t.list); err != nil {
			return failed(path, err)
		}
	}
	return nil
}

// checkTable looks for values beyond their bounds. Reading a table once takes most of the time.
func checkTable(ctx context.Context, db *sql.DB, table string, list []bound) error {
	cases := ""
	for i, b := range list {
		for c := range strings.FieldsSeq(b.columns) {
			cases += fmt.Sprintf(" WHEN %s NOT BETWEEN %g AND %g THEN %d", c, b.lo, b.hi, i)
		}
	}
	var row, at int
	err := db.QueryRowContext(ctx, "SELECT id, bad FROM (SELECT rowid AS id, CASE"+cases+" END AS bad FROM "+table+
		") WHERE bad IS NOT NULL LIMIT 1").Scan(&row, &at)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf(list[at].what+": %w", row, errDamaged)
}
