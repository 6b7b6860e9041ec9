// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/internal/testing/testkit"
)

func TestQueryCantWrite(t *testing.T) {
	db := started(t)
	record(t, db, good("cpu_csr", 32))
	dir := t.TempDir()
	state := func() string {
		t.Helper()
		return strings.Join([]string{
			string(one(t, db, "SELECT group_concat(sql, char(10)) FROM sqlite_master").(string)),
			string(one(t, db, "SELECT json_group_array(json_array(identity, status, message)) FROM trial").(string)),
			string(one(t, db, "PRAGMA journal_mode").(string)),
		}, "\n")
	}
	before := state()
	statements := strings.NewReplacer("DIR", dir, `\n`, "\n")
	for line := range strings.Lines(string(testkit.Must(os.ReadFile("testdata/writes.sql")))) {
		sql := statements.Replace(strings.TrimSuffix(line, "\n"))
		testkit.Fails(t, testkit.Err(db.Query(t.Context(), sql)), "", "runs %s", sql)
	}
	testkit.Equal(t, state(), before, "the database has changed from\n%s\nto", before)
	files := testkit.Must(os.ReadDir(dir))
	testkit.Check(t, len(files) == 0, "files were written: %v", files)
	record(t, db, good("cpu_csr", 64)) // and none of it holds a lock
}

func TestQueryReads(t *testing.T) {
	db := started(t)
	record(t, db, good("cpu_csr", 32), good("cpu_csr", 64))
	for sql, want := range map[string]int{
		"results":               2,
		" results ; ":           2,
		"RESULTS":               2,
		"trial":                 2,
		"best":                  1,
		"features;":             1,
		"SELECT * FROM results": 2,
		"SELECT 'a;b', \"block\" FROM results -- ; no": 2,
		"SELECT [block] FROM results; /* end */ ; ":    2,
		"SELECT 1; ; -- end\n;;":                       1,
		"; SELECT 1":                                   1,
		"VALUES (1), (2)":                              2,
		"WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT * FROM n": 5,
		"SELECT kernel, avg(median_ms) OVER (PARTITION BY kernel) FROM results":                         2,
		"SELECT json_extract('{\"a\": 1}', '$.a')":                                                      1,
		"PRAGMA integrity_check":                     1,
		"SELECT name FROM pragma_table_info('best')": 31,
		"SELECT * FROM results WHERE 0":              0,
	} {
		got := query(t, db, sql)
		testkit.Check(t, len(got.Rows) == want && len(got.Columns) != 0,
			"%s gives %d rows of %d columns, want %d rows", sql, len(got.Rows), len(got.Columns), want)
	}
	n := len(query(t, db, "EXPLAIN QUERY PLAN SELECT * FROM best").Rows)
	testkit.Check(t, n != 0, "no query plan")
	row := query(t, db, "SELECT 1, 1.5, 'x', x'00ff', NULL").Rows[0]
	testkit.Check(t, row[0] == int64(1) && row[1] == 1.5 && row[2] == "x" && string(row[3].([]byte)) == "\x00\xff" &&
		row[4] == nil, "values come back as %#v", row)
}

func TestQueryExplainsMistakes(t *testing.T) {
	db := started(t)
	for sql, want := range map[string]string{
		"":                              "nothing to run",
		" ; -- hello":                   "nothing to run",
		"reslts":                        `did you mean "results"?`,
		"SELECT * FROM Speed_Up":        `did you mean "speedup"?`,
		"nonsense_of_a_name":            "the views are best, features, profile, results, speedup, telemetry",
		"SELECT medianms FROM results":  `did you mean "median_ms"?`,
		"SELECT r.gflop FROM results r": `did you mean "gflops"?`,
		"SELECT median FROM results":    `there is no column "median": the views are`, // trial has one
		"SELECT 1 FROM results WHERE status = ok": "a text needs quotes: 'ok'",
		"SELECT * FROM results WHRE 1":            "syntax error",
		"SELECT (1":                               "incomplete input",
		"DELETE FROM trial":                       "only reads",
		"SELECT 1; SELECT 2":                      `one statement at a time: after the first comes "SELECT 2"`,
	} {
		_, err := db.Query(t.Context(), sql)
		if err == nil {
			t.Errorf("%q runs", sql)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v\nwant %q", sql, err, want)
		}
	}
}

func TestQueryStopsWithContext(t *testing.T) {
	db := started(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := db.Query(ctx, "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
	testkit.Check(t, errors.Is(err, context.DeadlineExceeded), "%v, want the context's error", err)
}

// Rows come one by one, so that an answer may be longer than memory, or have no end.
func TestRowsCome(t *testing.T) {
	const endless = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
	enough := errors.New("enough")
	var got []any
	err := started(t).Each(t.Context(), endless, func([]string) error { return nil }, func(row []any) error {
		if got = append(got, row...); len(got) == 3 {
			return enough
		}
		return nil
	})
	testkit.Check(t, err == enough && len(got) == 3 && got[2] == int64(3), "%v, %v", got, err)
}

// Neither a value nor all values of a row may fill the memory, and no function, in which SQLite can't be interrupted, has
// texts so long that it goes on and on.
func TestQueryIsBounded(t *testing.T) {
	db := started(t)
	const long, pattern = "printf('%.*c', 4000000, 'a')", "printf('%.*c', 40000, 'a') || 'b'"
	for sql, want := range map[string]string{
		"SELECT length(hex(zeroblob(60000)))":                              "larger than 100 kB",
		"SELECT " + strings.Repeat("hex(randomblob(49990)), ", 1900) + "1": "more than 100 MB of memory",
		"SELECT " + long + " LIKE '%' || " + pattern:                       "larger than 100 kB",
		"SELECT replace(" + long + ", " + pattern + ", '')":                "larger than 100 kB",
		"SELECT instr(" + long + ", " + long + " || 'b')":                  "larger than 100 kB",
		"SELECT trim(" + long + ", " + pattern + ")":                       "larger than 100 kB",
		"SELECT 'a' LIKE '%' || " + pattern:                                "pattern too complex",
		"SELECT 'a' GLOB '*' || " + pattern:                                "pattern too complex",
	} {
		testkit.Fails(t, testkit.Err(db.Query(t.Context(), sql)), want, "%.40s…", sql)
	}
}

func FuzzFirstStatement(f *testing.F) {
	for _, s := range []string{"SELECT 1", "SELECT ';'; x", "/*;*/;--;\n;", "[;]`;`\";\"", "'", "a;b;c", "/* ;"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		first, rest := firstStatement(sql)
		testkit.Check(t, strings.Contains(sql, first) && strings.HasSuffix(sql, rest),
			"%q is cut into %q and %q", sql, first, rest)
		again, more := firstStatement(first)
		testkit.Check(t, more == "" && again == first, "%q is still two: %q and %q", first, again, more)
	})
}

// A text that is quoted in an error is cut where it is longer than a line can hold, between characters.
func TestLongTextsAreQuotedInPart(t *testing.T) {
	whole := strings.Repeat("é", 40)
	for text, want := range map[string]string{whole: whole, whole + "é": whole + "…", "short": "short"} {
		testkit.Equal(t, abbreviate(text), want, "%q is quoted as", text)
	}
}

// A query may take a geometric mean.
func TestFunctions(t *testing.T) {
	db := create(t)
	got := one(t, db, "SELECT exp(avg(ln(x))) FROM (SELECT 2 AS x UNION ALL SELECT 8.0)")
	testkit.Check(t, math.Abs(got.(float64)-4) <= 1e-12, "the geometric mean of 2 and 8 is %v", got)
	gives(t, db, "SELECT sqrt(9)", 3.0, "the root of 9")
	for _, sql := range []string{"SELECT ln(0)", "SELECT ln(NULL)", "SELECT sqrt(-1)", "SELECT exp('two')"} {
		gives(t, db, sql, nil, "%s is", sql)
	}
}

// What is filled into a temporary table is there for queries, all of it or nothing, and the file
// stays as it is.
func TestScratch(t *testing.T) {
	db := started(t)
	record(t, db, good("cpu_csr", 0))
	s := testkit.Must(db.Scratch(t.Context()))
	defer s.Close()
	testkit.Succeed(t, s.Exec(t.Context(), "CREATE TEMP TABLE price (kernel TEXT, euros REAL)"))

	for _, rows := range [][][]any{nil, {{"cpu_csr", 2.5}, {"cpu_coo", 10}}, {}, {{"cpu_csr", 4.0}}} {
		testkit.Equal(t, s.Fill(t.Context(), "price", rows), nil, "filling %v", rows)
	}
	table := testkit.Must(s.Query(t.Context(), "SELECT sum(euros) FROM results JOIN price USING (kernel)"))
	testkit.Check(t, table.Rows[0][0] == 6.5, "the sum is %v, want 6.5", table)
	err := s.Fill(t.Context(), "price", [][]any{{"cpu_csr", 100.0}, {"cpu_csr"}})
	testkit.Fails(t, err, "filling price", "a row that is too short")
	gives(t, db, "SELECT count(*) FROM sqlite_schema WHERE name = 'price'", int64(0), "the table is in the file")
}
