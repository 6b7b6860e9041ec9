// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/tuner/trial"
)

func TestOpenCreatesFolderAndFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b", "50%?#", "results.db")
	db := testkit.Must(Open(path))
	gives(t, db, "PRAGMA user_version", int64(schemaVersion), "user_version is")
	gives(t, db, "PRAGMA application_id", int64(applicationID), "application_id is")
	testkit.Succeed(t, db.Close())
	testkit.Must(os.Stat(path))
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	testkit.Check(t, len(left) == 1, "after closing, the folder holds %q", left)

	raw(t, path, "DROP VIEW best", "CREATE VIEW best AS SELECT 1 AS old", fmt.Sprint("PRAGMA user_version = ", firstVersion))
	for _, open := range []func(string) (*DB, error){OpenReadOnly, Open} {
		db = testkit.Must(open(path))
		defer db.Close()
		gives(t, db, "SELECT count(kernel) FROM best", int64(0), "a view that an earlier version made has rows of")
	}
	gives(t, db, "PRAGMA user_version", int64(schemaVersion), "user_version is")
}

func TestOpenAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.db")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			db, err := Open(path)
			if err != nil {
				t.Error(err)
				return
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestJournalFollowsFileSystem(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.db")
	for _, tt := range []struct {
		remote  bool
		journal string
		// synchronous: NORMAL is 1, FULL 2
		synchronous int
	}{{false, "wal", 1}, {true, "delete", 2}, {false, "wal", 1}} { // a file may be moved
		db := testkit.Must(open(t.Context(), path, tt.remote))
		var journal string
		var synchronous, foreign int
		for query, dst := range map[string]any{
			"PRAGMA journal_mode": &journal, "PRAGMA synchronous": &synchronous, "PRAGMA foreign_keys": &foreign,
		} {
			testkit.Succeed(t, db.write.QueryRow(query).Scan(dst))
		}
		testkit.Check(t, journal == tt.journal && synchronous == tt.synchronous && foreign == 1,
			"remote %v: journal %s, synchronous %d, foreign keys %d", tt.remote, journal, synchronous, foreign)
		begin(t, db, testRun())
		describe(t, db, testMatrix("grid"))
		record(t, db, good("cpu_csr", 32))
		gives(t, db, "SELECT count(*) FROM results", int64(1), "remote %v: results", tt.remote)
		testkit.Succeed(t, db.Close())
	}
}

// raw changes a file behind the package's back.
func raw(t *testing.T, path string, statements ...string) {
	t.Helper()
	db := testkit.Must(sql.Open("sqlite3", (&url.URL{Scheme: "file", Path: path}).String()))
	defer db.Close()
	for _, s := range statements {
		testkit.Must(db.Exec(s))
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(t *testing.T, path string)
		want string
	}{
		{"another program's database", func(t *testing.T, path string) {
			raw(t, path, "CREATE TABLE bookmark (url TEXT)", "INSERT INTO bookmark VALUES ('x')")
		}, "another program"},
		{"another program's identity", func(t *testing.T, path string) {
			raw(t, path, "PRAGMA application_id = 7")
		}, "another program"},
		{"a newer program's database", func(t *testing.T, path string) {
			db := testkit.Must(Open(path))
			db.Close()
			raw(t, path, fmt.Sprint("PRAGMA user_version = ", schemaVersion+1))
		}, "newer version"},
		{"a database of before the first release", func(t *testing.T, path string) {
			raw(t, path, "CREATE TABLE trial (id INTEGER)", fmt.Sprint("PRAGMA application_id = ", applicationID),
				"PRAGMA user_version = 22")
		}, "before 0.1.0"},
		{"a text file", func(t *testing.T, path string) {
			testkit.Succeed(t, os.WriteFile(path, []byte(strings.Repeat("%%MatrixMarket matrix\n", 100)), 0o666))
		}, "not an SQLite database"},
		{"a short text file", func(t *testing.T, path string) {
			testkit.Succeed(t, os.WriteFile(path, []byte("hello\n"), 0o666))
		}, "not an SQLite database"},
		{"a folder", func(t *testing.T, path string) {
			testkit.Succeed(t, os.Mkdir(path, 0o777))
		}, "a folder"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "results.db")
			tt.make(t, path)
			before, _ := os.ReadFile(path)
			for name, open := range map[string]func(string) (*DB, error){"Open": Open, "OpenReadOnly": OpenReadOnly} {
				db, err := open(path)
				if err == nil {
					db.Close()
					t.Fatalf("%s accepts it", name)
				}
				testkit.Check(t, strings.Contains(err.Error(), tt.want) && strings.Contains(err.Error(), path),
					"%s: %v\nwant the file's name and %q", name, err, tt.want)
			}
			after, _ := os.ReadFile(path)
			testkit.Check(t, string(after) == string(before), "the file was changed")
		})
	}
}

func TestOpenReadOnlyWithoutResults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.db")
	testkit.Fails(t, testkit.Err(OpenReadOnly(path)), "there is no database "+path+": run a sweep first")
	testkit.Fails(t, testkit.Err(os.Stat(path)), "", "the file was created")
	testkit.Succeed(t, os.WriteFile(path, nil, 0o666))
	testkit.Fails(t, testkit.Err(OpenReadOnly(path)), path+" holds no results yet: run a sweep first")
}

func TestOpenReadOnlyBesideWriter(t *testing.T) {
	db := started(t)
	record(t, db, good("cpu_csr", 32))
	ro := testkit.Must(OpenReadOnly(db.Path()))
	record(t, db, good("cpu_csr", 64))
	gives(t, ro, "SELECT count(*) FROM results", int64(2), "results")
	testkit.Equal(t, len(testkit.Must(ro.Recorded(t.Context(), []string{good("cpu_csr", 64).ID}, trial.Full))), 1, "Finished gives")
	testkit.Succeed(t, ro.Close()) // which leaves the writer its log
	record(t, db, good("cpu_csr", 96))
}

// A journal of a network file system that was left in the middle of a commit is
// rolled back on the next look.
func TestOpenReadOnlyAfterTornCommit(t *testing.T) {
	db := started(t)
	record(t, db, good("cpu_csr", 32))
	testkit.Succeed(t, db.Close())
	db.write, db.read = nil, nil
	raw(t, db.Path(), "PRAGMA journal_mode = DELETE")
	tear(t, db.Path())
	ro := testkit.Must(OpenReadOnly(db.Path()))
	defer ro.Close()
	gives(t, ro, "SELECT group_concat(name) FROM sweep", "quick", "sweeps")
	testkit.Equal(t, testkit.Must(ro.Count(t.Context()))[trial.OK], 1, "counts are")
}

// tear copies the files in the middle of a transaction that has reached them,
// and puts the copies in their place when it is gone.
func tear(t *testing.T, path string) {
	t.Helper()
	dsn := url.URL{Scheme: "file", Path: path}
	db := testkit.Must(sql.Open("sqlite3", dsn.String()))
	db.SetMaxOpenConns(1)
	for _, s := range []string{
		"PRAGMA cache_size = 1", // the changes spill into the file
		"BEGIN",
		"UPDATE sweep SET name = 'torn'",
		"UPDATE trial SET message = hex(randomblob(100000))",
	} {
		testkit.Must(db.Exec(s))
	}
	file := testkit.Must(os.ReadFile(path))
	journal := testkit.Must(os.ReadFile(path + "-journal"))
	db.Close()
	for name, data := range map[string][]byte{path: file, path + "-journal": journal} {
		testkit.Succeed(t, os.WriteFile(name, data, 0o666))
	}
}

// Reading leaves the folder as it was, also where an older reader left an empty log, and where ties
// are not decided, so that a copy is read.
func TestReadingLeavesNoFiles(t *testing.T) {
	db := started(t)
	record(t, db, good("cpu_csr", 32))
	testkit.Succeed(t, db.Close())
	path := db.Path()
	db.write, db.read = nil, nil // closed already

	for name, open := range map[string]func() (*DB, error){
		"as it is": func() (*DB, error) { return OpenReadOnly(path) },
		"a copy":   func() (*DB, error) { return OpenCurrent(t.Context(), path) },
	} {
		reader := testkit.Must(open())
		gives(t, reader, "SELECT count(*) FROM results", int64(1), "%s: results", name)
		testkit.Succeed(t, reader.Close())
		left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
		testkit.Check(t, len(left) == 1, "%s: after reading, the folder holds %q", name, left)
	}
}

// Where the database is removed, or another put in its place, the next record says so.
func TestRemovedWhileWritten(t *testing.T) {
	db := started(t)
	record(t, db, good("cpu_csr", 32))
	testkit.Succeed(t, os.Rename(db.Path(), db.Path()+"-moved"))
	err := db.Record(t.Context(), good("cpu_csr", 64))
	testkit.Fails(t, err, "removed or replaced while it was written")
}

// childEnv makes the test binary record in a loop into the database it names.
const childEnv = "SPMVTUNE_STORE_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		fmt.Fprintln(os.Stderr, recordForever(path))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// recordForever records trial after trial and prints the identity of each when
// it is kept.
func recordForever(path string) error {
	ctx := context.Background()
	db, err := Open(path)
	if err != nil {
		return err
	}
	if err := db.Begin(ctx, testRun()); err != nil {
		return err
	}
	if err := db.Matrix(ctx, testMatrix("grid")); err != nil {
		return err
	}
	for i := 1; ; i++ {
		id := strconv.Itoa(os.Getpid()) + "-" + strconv.Itoa(i)
		if err := db.Record(ctx, good("cpu_csr_rows", i, identity(id))); err != nil {
			return err
		}
		fmt.Println(id)
	}
}

func TestKilledWhileRecording(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.db")
	var kept []string
	for _, trials := range []int{1, 50, 200, 7} {
		kept = append(kept, runAndKill(t, path, trials)...)
		checkKept(t, path, kept, OpenReadOnly)
	}
	checkKept(t, path, kept, Open)
}

// runAndKill kills a recording process once it has kept a number of trials, and
// returns those that it said were kept.
func runAndKill(t *testing.T, path string, trials int) (kept []string) {
	t.Helper()
	self := testkit.Must(os.Executable())
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childEnv+"="+path)
	cmd.Stderr = os.Stderr
	out := testkit.Must(cmd.StdoutPipe())
	testkit.Succeed(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		kept = append(kept, lines.Text())
		if len(kept) == trials {
			testkit.Succeed(t, cmd.Process.Kill())
		}
	}
	cmd.Wait() // says that it was killed
	testkit.Require(t, len(kept) >= trials, "the process ended after %d trials", len(kept))
	return kept
}

func checkKept(t *testing.T, path string, kept []string, open func(string) (*DB, error)) {
	t.Helper()
	db := testkit.Must(open(path))
	defer db.Close()
	gives(t, db, "PRAGMA integrity_check", "ok", "integrity")
	got := testkit.Must(db.Recorded(t.Context(), kept, trial.Brief))
	for _, id := range kept {
		testkit.Equal(t, got[id].Status, trial.OK, "trial %s is lost", id)
	}
	gives(t, db, "SELECT count(*) FROM trial t LEFT JOIN sample s ON s.trial = t.id WHERE s.trial IS NULL", int64(0), "trials without their samples")
}

// A run that was killed left no ties. What it measured again counts all the same, and the file
// stays as it is.
func TestRunsThatWereKilledAreReadWithTies(t *testing.T) {
	db := create(t)
	begin(t, db, testRun())
	describe(t, db, testMatrix("grid"))
	record(t, db, noisy("grid", 10, 1.1)...)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)

	current := testkit.Must(OpenCurrent(t.Context(), db.Path()))
	testkit.Equal(t, current.Path(), db.Path(), "it is called")
	testkit.Near(t, one1(t, current, "SELECT factor FROM best"), 1.1, 1e-3, "two runs differ by")
	gives(t, db, "SELECT count(*) FROM spread", int64(0), "the database has")
	testkit.Succeed(t, current.Close())
	left, _ := filepath.Glob(filepath.Join(temporary, "*"))
	testkit.Check(t, len(left) == 0, "%v is left", left)
}

// Where a copy finds no room, the message says of which database, and where.
func TestNoRoomForACopy(t *testing.T) {
	db := started(t)
	record(t, db, good("cpu_csr", 32))
	gone := filepath.Join(t.TempDir(), "gone")
	t.Setenv("TMPDIR", gone)
	_, err := OpenCurrent(t.Context(), db.Path())
	testkit.Fails(t, err, "reading a copy of "+db.Path()+" in "+gone)
}
