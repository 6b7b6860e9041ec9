package program

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"spmvtune/internal/base/files"
)

// A Run is a program to be run.
type Run struct {
	Args  []string      // the program and its arguments
	Dir   string        // an empty folder, in which it runs
	Limit time.Duration // how long it may take
	Files int64         // how many bytes each file that it writes may have, and all in Dir together
}

// ErrLate is wrapped by the error of a program that did not end in time.
var ErrLate = errors.New("it did not end")

// The names of what a program prints, in its folder: no pipe is left open by what it starts.
const (
	stdoutName = "stdout.txt"
	stderrName = "stderr.txt"
)

// mostPrinted is how many bytes of what a program prints are read.
const mostPrinted = 4 << 20

// limited runs a program in sh with bounds on files, in KiB, and without core dumps.
const limited = `ulimit -c 0; ulimit -f "$1"; shift; exec "$@"`

// Do runs the program until it ends, and kills what it has started. It must be called by a goroutine
// that is locked to its thread: the program dies with that. It returns what the program printed.
func (r Run) Do(ctx context.Context) (printed []byte, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, r.Limit, fmt.Errorf("%w within %s and was killed", ErrLate, r.Limit))
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)

	files := make([]*os.File, 2)
	for i, name := range []string{stdoutName, stderrName} {
		if files[i], err = os.Create(filepath.Join(r.Dir, name)); err != nil {
			return nil, fmt.Errorf("making a file for what a program prints: %w", err)
		}
		defer files[i].Close()
	}

	kib := strconv.FormatInt(r.Files/512, 10) // sh counts in blocks of 512 bytes
	cmd := exec.CommandContext(ctx, "sh", slices.Concat([]string{"-c", limited, "sh", kib}, r.Args)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = r.Dir, files[0], files[1]
	cmd.Env = append(os.Environ(), "TMPDIR="+r.Dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if err := start(cmd); err != nil {
		return nil, fmt.Errorf("starting %s: %w", r.Args[0], err)
	}
	go r.watch(ctx, stop)

	err = cmd.Wait()
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	killOrphans()
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	if err != nil {
		return nil, r.explain(err, cmd.ProcessState)
	}
	return r.read(stdoutName)
}

// explain is the error of a program that failed.
func (r Run) explain(err error, state *os.ProcessState) error {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() && ws.Signal() == syscall.SIGXFSZ ||
		state.ExitCode() == 128+int(syscall.SIGXFSZ) {
		return fmt.Errorf("it wrote more than %d bytes and was killed", r.Files)
	}
	said, _ := r.read(stderrName)
	if lines := strings.Split(strings.TrimSpace(string(said)), "\n"); lines[len(lines)-1] != "" {
		return fmt.Errorf("it failed (%w): %.300s", err, lines[len(lines)-1])
	}
	return fmt.Errorf("it failed: %w", err)
}

// read reads a file that the program wrote, as far as mostPrinted.
func (r Run) read(name string) ([]byte, error) {
	return files.ReadFile(filepath.Join(r.Dir, name), mostPrinted)
}

// watchEvery is how often the folder of a program is looked at: that disturbs its times little.
const watchEvery = 200 * time.Millisecond

// watch stops a program whose folder grows beyond its limit.
func (r Run) watch(ctx context.Context, stop func(error)) {
	for ctx.Err() == nil {
		if folderBytes(r.Dir) > r.Files {
			stop(fmt.Errorf("it wrote more than %d bytes and was killed", r.Files))
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(watchEvery):
		}
	}
}

// folderBytes is the size of the files in a folder.
func folderBytes(dir string) (sum int64) {
	filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil { // it may be gone by now
			return nil
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
		return nil
	})
	return sum
}
