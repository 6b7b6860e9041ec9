package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// No name is longer than this, in characters.
const longestName = 200

// A bad value is one that no version of this program writes: a damaged file, or one that somebody
// made. What reads the values takes for granted that there are none.
var bad = []struct {
	what  string // with the number of the row
	table string
	is    string // condition on a row
	since int    // schema that has the table
}{
	{"the time of trial %d is not between a femtosecond and a million days", "trial",
		"median IS NOT NULL AND NOT ifnull(median BETWEEN 1e-15 AND 1e11 AND typeof(median) <> 'text', 0)", 0},
	{"the interval of trial %d is not one of times", "trial",
		"NOT (ifnull(low, 0) BETWEEN 0 AND 1e11 AND ifnull(high, 0) BETWEEN 0 AND 1e11)", 0},
	{"the block or grid of trial %d is not between 0 and 2147483647", "trial",
		"NOT (block BETWEEN 0 AND 2147483647 AND grid BETWEEN 0 AND 2147483647)", 0},
	{"the bytes of trial %d are not above 0", "trial",
		"NOT (ifnull(bytes_min, 1) BETWEEN 1 AND 1e18 AND ifnull(bytes_kernel, 1) BETWEEN 1 AND 1e18)", 0},
	{"the moment of trial %d is not within ten thousand years", "trial", "NOT measured_at BETWEEN -1e14 AND 3e14", 0},
	{"the parameters of trial %d are too long", "trial", "length(params) > 1000", 0},
	{"the numbers of rows, columns and nonzeros of matrix %d are not sizes", "matrix",
		"NOT (rows BETWEEN 0 AND 1e15 AND cols BETWEEN 0 AND 1e15 AND nonzeros BETWEEN 0 AND 1e15)", 0},
	{"a feature of matrix %d is no length of rows", "matrix",
		`NOT (ifnull(row_mean, 0) BETWEEN 0 AND 1e15 AND ifnull(row_std, 0) BETWEEN 0 AND 1e15
			AND min(row_min, row_p25, row_median, row_p75, row_p90, row_p99, row_max, empty_rows, cols_used, bandwidth) >= -1
			AND max(row_min, row_p25, row_median, row_p75, row_p90, row_p99, row_max, empty_rows, cols_used, bandwidth) < 1e15)`, 0},
	{"the bandwidth of device %d is not between 0 and a billion GB/s", "device",
		"NOT (roof_read BETWEEN 0 AND 1e9 AND roof_copy BETWEEN 0 AND 1e9 AND roof_triad BETWEEN 0 AND 1e9)", 0},
	{"the repeat in row %d has a time that is none", "sentinel",
		"NOT (median BETWEEN 1e-15 AND 1e11 AND low BETWEEN 0 AND 1e11 AND high BETWEEN 0 AND 1e11)", schemaSentinel},
	{"the name or class of matrix %d is too long", "matrix", tooLong("name", "class"), 0},
	{"the name of device %d is too long", "device", tooLong("name", "backend", "model", "driver"), 0},
	{"the name of kernel %d is too long", "kernel", tooLong("name", "paper", "format"), 0},
	{"the name of sweep %d is too long", "sweep", tooLong("name"), 0},
}

// shortEnough refuses names that checkValues would refuse.
func shortEnough(names ...string) error {
	for _, name := range names {
		if utf8.RuneCountInString(name) > longestName {
			return fmt.Errorf("the name %.40q… has more than %d characters", name, longestName)
		}
	}
	return nil
}

func tooLong(columns ...string) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = fmt.Sprintf("length(%s) > %d", c, longestName+9) // putMatrix makes some longer by that
	}
	return strings.Join(list, " OR ")
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
			return fmt.Errorf("database %s: it has a trigger that is not this program's: %.200q", path, text)
		}
	}

	for _, b := range bad {
		if schema < b.since {
			continue
		}
		var row int
		err := db.QueryRowContext(ctx, "SELECT rowid FROM "+b.table+" WHERE "+b.is+" LIMIT 1").Scan(&row)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err == nil {
			err = fmt.Errorf(b.what+": the file is damaged", row)
		}
		return failed(path, err)
	}
	return nil
}
