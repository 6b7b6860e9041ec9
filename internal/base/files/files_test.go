// SPDX-License-Identifier: Apache-2.0

package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"example.org/spmvtune/internal/testing/testkit"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b := testkit.Must(os.ReadFile(path))
	return string(b)
}

// A write that fails leaves the old content and no temporary file.
func TestFailedWriteChangesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	testkit.Succeed(t, Write(path, []byte("old")))

	broken := errors.New("broken")
	err := WriteTo(path, func(w io.Writer) error {
		fmt.Fprint(w, "new")
		return broken
	})
	testkit.Check(t, errors.Is(err, broken) && strings.Contains(err.Error(), path), "the error is %v", err)
	testkit.Equal(t, read(t, path), "old", "the file")
	testkit.Equal(t, len(testkit.Must(os.ReadDir(dir))), 1, "files in the folder")
}

// A file that is replaced keeps its permissions.
func TestPermissionsStay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	testkit.Succeed(t, os.WriteFile(path, []byte("old"), 0o640))
	testkit.Succeed(t, Write(path, []byte("new")))
	testkit.Equal(t, testkit.Must(os.Stat(path)).Mode().Perm(), 0o640, "the mode")
	testkit.Equal(t, read(t, path), "new", "the file")
}

// The first of two creates the file.
func TestCreateOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	testkit.Succeed(t, Create(path, []byte("first")))
	err := Create(path, []byte("second"))
	testkit.Check(t, errors.Is(err, fs.ErrExist) && read(t, path) == "first", "%v, the file holds %q", err, read(t, path))
}

// Errors do not show the random temporary name.
func TestErrorNamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "a")
	err := Write(path, nil)
	want := "writing " + path + ": no such file or directory"
	testkit.Check(t, err != nil && err.Error() == want, "%v, want %s", err, want)
}

// A pipe without a writer, and a device without an end, are refused at once; a long file is,
// after as many bytes as may be.
func TestReadFile(t *testing.T) {
	pipe, long := filepath.Join(t.TempDir(), "pipe"), filepath.Join(t.TempDir(), "long")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skip(err)
	}
	testkit.Succeed(t, os.WriteFile(long, make([]byte, 1001), 0o666))
	for path, want := range map[string]string{
		pipe: "not a regular file: save its content to a file first", "/dev/zero": "not a regular file", long: "larger than 1 kB",
	} {
		testkit.Fails(t, testkit.Err(ReadFile(path, 1000)), want, path)
	}
	testkit.Equal(t, len(testkit.Must(ReadFile(long, 1001))), 1001, "bytes of the file")
}

// A folder that a killed process left goes away with the next one; that of a process that lives stays, and so
// do one that is being made and one of another machine, whose lock this one may not see.
func TestNewRemovesWhatWasLeft(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "job[1]") // no pattern
	testkit.Succeed(t, os.Mkdir(parent, 0o777))
	t.Setenv("TMPDIR", parent)
	reading := testkit.Must(NewScratch("", "copy-"))
	killed, fresh := filepath.Join(os.TempDir(), "copy-"+here()+".1"), filepath.Join(os.TempDir(), "copy-"+here()+".2")
	other, elsewhere := filepath.Join(os.TempDir(), "other-"+here()+".1"), filepath.Join(os.TempDir(), "copy-"+here()+"2.1")
	hourAgo := time.Now().Add(-time.Hour)
	for _, dir := range []string{killed, fresh, other, elsewhere} {
		testkit.Succeed(t, os.MkdirAll(filepath.Join(dir, "x"), 0o777))
	}
	for _, dir := range []string{killed, other, elsewhere, reading.Path()} {
		os.Chtimes(dir, hourAgo, hourAgo)
	}

	made := testkit.Must(NewScratch("", "copy-"))
	there := func(want ...string) {
		t.Helper()
		var got []string
		entries, _ := os.ReadDir(parent)
		for _, e := range entries {
			got = append(got, filepath.Join(parent, e.Name()))
		}
		slices.Sort(want)
		testkit.EqualLists(t, got, want, "files")
	}
	there(fresh, other, elsewhere, reading.Path(), made.Path())
	testkit.Succeed(t, made.Remove())
	there(fresh, other, elsewhere, reading.Path())
}

// What a process that was killed has left of a file goes with the next one that is written to the folder; what one is
// writing stays.
func TestWriteRemovesWhatWasLeft(t *testing.T) {
	dir := t.TempDir()
	killed, other := filepath.Join(dir, ".a.svg.tmp-"+here()+".1"), filepath.Join(dir, ".a.svg.tmp-1.1")
	for _, path := range []string{killed, other, filepath.Join(dir, "kept")} {
		testkit.Succeed(t, os.WriteFile(path, nil, 0o666))
		testkit.Succeed(t, os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)))
	}
	testkit.Succeed(t, WriteTo(filepath.Join(dir, "b"), func(w io.Writer) error {
		left := testkit.Must(filepath.Glob(filepath.Join(dir, ".*")))
		testkit.Check(t, len(left) == 2 && !slices.Contains(left, killed), "there are %v", left)
		for _, path := range left { // this one is old, and locked
			testkit.Succeed(t, os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)))
		}
		removeLeft(dir, Temporary+here())
		testkit.EqualLists(t, testkit.Must(filepath.Glob(filepath.Join(dir, ".*"))), left, "files")
		return nil
	}))
}

// NFS gives a lock on a file that is open for reading to several at once: none of them has it alone.
func TestLockNowIsOfOne(t *testing.T) {
	system := Flock
	t.Cleanup(func() { Flock = system })
	path := filepath.Join(t.TempDir(), ".lock")
	Flock = func(fd, how int) error {
		if how&unix.LOCK_EX != 0 {
			return unix.EBADF
		}
		return system(fd, how)
	}
	if _, taken, err := LockNow(path); taken || err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("shared: taken %t, %v", taken, err)
	}

	Flock = system // and it has let go of it
	unlock, taken, err := LockNow(path)
	testkit.Require(t, !taken && err == nil, "then taken %t, %v", taken, err)
	defer unlock()
	if _, taken, err := LockNow(path); !taken || err == nil {
		t.Errorf("a second time taken %t, %v", taken, err)
	}
}
