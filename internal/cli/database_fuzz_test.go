// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3"

	"example.org/spmvtune/internal/base/panics"
	"example.org/spmvtune/internal/testing/testkit"
)

// execute runs a command in this process. Whatever is wrong with its input, there is no panic.
func execute(t testing.TB, args ...string) error {
	root := New()
	root.SetArgs(args)
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	err := root.ExecuteContext(t.Context())
	if m, panicked := errors.AsType[*panics.Error](err); panicked {
		panic(m)
	}
	return err
}

// imported makes a database of 18 trials.
func imported(t testing.TB) string {
	var table strings.Builder
	table.WriteString("device,matrix,class,rows,cols,nonzeros,kernel,precision,block,grid,time_s\n")
	for i, m := range []string{"a", "b", "c"} {
		for j, k := range []string{"coo_atomic", "csr_vector"} {
			for _, block := range []int{64, 128, 256} {
				fmt.Fprintf(&table, "D,%s,%[1]s,%d,%[2]d,%d,%s,float32,%d,0,%de-9\n", m, 10<<i, 30<<i, k, block, (j+1)*block)
			}
		}
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "good.csv")
	testkit.Succeed(t, os.WriteFile(path, []byte(table.String()), 0o666))
	testkit.Succeed(t, execute(t, "import", path, "--out", filepath.Join(dir, "good")))
	return filepath.Join(dir, "good", "results.db")
}

// columnsOf lists the columns of the tables that have rows, as pairs.
func columnsOf(t testing.TB, path string) (list [][2]string) {
	db := testkit.Must(sql.Open("sqlite3", path))
	defer db.Close()
	rows := testkit.Must(db.Query(`SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'
		ORDER BY 1, 2`))
	defer rows.Close()
	for rows.Next() {
		var of [2]string
		testkit.Succeed(t, rows.Scan(&of[0], &of[1]))
		list = append(list, of)
	}
	return list
}

// Whatever value a database has, commands refuse it, or end well.
func FuzzDatabase(f *testing.F) {
	good := testkit.Must(os.ReadFile(imported(f)))
	path := filepath.Join(f.TempDir(), "results.db")
	testkit.Succeed(f, os.WriteFile(path, good, 0o666))
	columns := columnsOf(f, path)
	for i := 0; i < len(columns); i += 6 { // with each command and kind of value
		f.Add(uint16(i), byte(i), byte(i/5), int64(-1)<<63, -1.0, "\x1b*/")
	}

	f.Fuzz(func(t *testing.T, column uint16, command, kind byte, n int64, x float64, s string) {
		dir := t.TempDir()
		bad, ok := filepath.Join(dir, "bad.db"), filepath.Join(dir, "good.db")
		for _, p := range []string{bad, ok} {
			testkit.Succeed(t, os.WriteFile(p, good, 0o666))
		}
		db := testkit.Must(sql.Open("sqlite3", bad))
		of := columns[int(column)%len(columns)]
		value := []any{n, x, s, []byte(s), nil}[kind%5]
		db.Exec(fmt.Sprintf(`UPDATE OR IGNORE "%s" SET "%s" = ? WHERE rowid %% 2 = 1`, of[0], of[1]), value)
		db.Close()
		defer func() {
			if p := recover(); p != nil {
				t.Fatalf("%s.%s = %#v, command %d: %v\n%s", of[0], of[1], value, command%5, p, debug.Stack())
			}
		}()

		switch command % 5 {
		case 0:
			execute(t, "report", bad, "--out", filepath.Join(dir, "page"))
		case 1:
			execute(t, "learn", bad)
		case 2:
			execute(t, "compare", ok, bad)
		case 3:
			execute(t, "replay", bad, "--seeds", "2")
		case 4:
			execute(t, "best", bad)
		}
	})
}
