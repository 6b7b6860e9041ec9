package cli

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3"

	"spmvtune/internal/testing/testkit"
	"spmvtune/sparse/cache"
)

// Where nobody reads the output, as of a pipe to head, nothing is said, and the copy that is read
// where ties are not decided goes away.
func TestUnread(t *testing.T) {
	t.Chdir(t.TempDir())
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Setenv(cache.Env, "off")
	const sweep = `
		protocol = { samples = [6, 6] }
		device = { backend = "cpu" }
		matrix = [{ name = "grid", generate = "grid_5pt", nx = 4, ny = 4 }]
		kernel = [{ name = ["cpu_csr", "cpu_coo"] }]
	`
	testkit.Succeed(t, os.WriteFile("tiny.toml", []byte(sweep), 0o666))
	if out, err := exec.Command("spmvtune", "run", "tiny.toml", "--no-report", "--quiet").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	file := filepath.Join("spmvtune-out", "tiny", "results.db")
	db := testkit.Must(sql.Open("sqlite3", file))
	testkit.Must(db.Exec("DELETE FROM tie_set"))
	db.Close()

	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read.Close()
	defer write.Close()
	query := exec.Command("spmvtune", "query", "tiny", "results")
	query.Stdout = write
	complaint := &bytes.Buffer{}
	query.Stderr = complaint
	if err := query.Run(); query.ProcessState.ExitCode() != 141 || complaint.Len() > 0 {
		t.Errorf("%v, which says %q", err, complaint)
	}
	if left, _ := filepath.Glob(filepath.Join(temporary, "*")); len(left) > 0 {
		t.Errorf("%q is left", left)
	}
}

// Another program that does not read what it is given, as sbatch when it refuses, ends nothing.
func TestUnreadByAnother(t *testing.T) {
	ctx, leave := whileRead()
	defer leave()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r.Close()
	if _, err := w.Write([]byte("a script")); !errors.Is(err, syscall.EPIPE) {
		t.Fatalf("writing gave %v", err)
	}
	if !unread(w) {
		t.Error("a pipe that nobody reads is not called so")
	}
	time.Sleep(50 * time.Millisecond) // for the signal
	if ctx.Err() != nil {
		t.Errorf("the command ends: %v", context.Cause(ctx))
	}
}
