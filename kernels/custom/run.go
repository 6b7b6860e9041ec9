// SPDX-License-Identifier: Apache-2.0

package custom

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"example.org/spmvtune/internal/base/files"
)

// A Program is to be run within bounds of time, memory, and of what it writes and prints. It has a process group of its
// own and runs in a folder of its own. It dies with this process, however that ends, with what it has started
// and stays in its group.
type Program struct {
	Args   []string      // the program and its arguments
	Env    []string      // variables, beside those of this process
	Dir    string        // an empty folder, in which it runs
	Limit  time.Duration // how long it may take
	Files  int64         // how many bytes each file that it writes may have, and all in Dir together
	Memory int64         // how many bytes each of its processes may address; 0: any number
	// Alone says that this process has no other children: what leaves the program's process group is killed, too.
	Alone bool
}

// ErrLate is wrapped by the error of a program that did not end in time.
var ErrLate = errors.New("it did not end")

// The names of what a program prints, in its folder: no pipe is left open by what it starts.
const (
	stdoutName = "stdout.txt"
	stderrName = "stderr.txt"
)

// bounded is a script of sh that runs a program with limits, of which a hard one may be lower already: sh counts files
// in blocks of 512 bytes, and memory in KiB. Nobody writes to its input, which ends with the process that has its other
// end; then the whole group dies. Who reads is no child of the program, which may wait for all that it has.
const bounded = `exec 3<&0 </dev/null >` + stdoutName + ` 2>` + stderrName + `
( { read -r _; kill -9 0; } <&3 >/dev/null 2>&1 & ); exec 3<&-
{ ulimit -c 0; ulimit -f %d; ulimit -v %d; } 2>/dev/null; exec "$@"`

// Run runs the program until it ends, and kills what it has started. An *exec.ExitError that has exited is wrapped if
// the program failed by itself.
func (p Program) Run(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, p.Limit, fmt.Errorf("%w within %s and was killed", ErrLate, p.Limit))
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)

	script := fmt.Sprintf(bounded, p.Files/512, cmp.Or(p.Memory, math.MaxInt64)>>10)
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", script, "sh"}, p.Args...)...)
	cmd.Dir, cmd.Env = p.Dir, append(append(os.Environ(), "TMPDIR="+p.Dir), p.Env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	_, err := cmd.StdinPipe()
	started := make(chan error)
	go func() { started <- cmp.Or(err, start(cmd, p.Alone)) }() // this thread may start no processes any more
	if err := <-started; err != nil {
		return fmt.Errorf("starting %s: %w", p.Args[0], err)
	}
	go p.watch(ctx, stop)

	err = cmd.Wait()
	cmd.Cancel()
	if p.Alone {
		killOrphans()
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return p.explain(err)
}

// explain is the error of a program that failed, nil if it did not.
func (p Program) explain(err error) error {
	switch ended := fmt.Sprint(err); {
	case err == nil:
		return nil
	case ended == "signal: file size limit exceeded", ended == "exit status 153": // of a program that sh runs
		return p.errTooMuch()
	}
	if lines := strings.Split(strings.TrimSpace(p.printed(stderrName)), "\n"); lines[len(lines)-1] != "" {
		return fmt.Errorf("it failed (%w): %.300s", err, lines[len(lines)-1])
	}
	return fmt.Errorf("it failed: %w", err)
}

func (p Program) errTooMuch() error {
	return fmt.Errorf("it wrote more than %d bytes and was killed", p.Files)
}

// Printed is what the program printed to its standard output, which may be 4 MiB.
func (p Program) Printed() ([]byte, error) {
	return files.ReadFile(filepath.Join(p.Dir, stdoutName), 4<<20)
}

// Said is what the program printed to both outputs. The middle is left out of what is longer than 64 KiB.
func (p Program) Said() string { return p.printed(stdoutName) + p.printed(stderrName) }

// printed is an excerpt of a file that the program wrote, "" of what is no file any more.
func (p Program) printed(name string) string {
	f, err := files.Open(filepath.Join(p.Dir, name))
	if err != nil {
		return ""
	}
	defer f.Close()
	return excerpt(f)
}

// excerpt is the beginning and the end of a text.
func excerpt(f io.ReadSeeker) string {
	const half = 16 << 10
	head, _ := io.ReadAll(io.LimitReader(f, half))
	if at, err := f.Seek(-half, io.SeekEnd); err != nil || at < half {
		f.Seek(half, io.SeekStart)
	}
	tail, _ := io.ReadAll(io.LimitReader(f, half))
	return string(append(head, tail...))
}

// Version runs a program with --version, and returns what it prints to its standard output.
func Version(ctx context.Context, args ...string) (string, error) {
	dir, err := files.NewScratch("", "spmvtune-version-")
	if err != nil {
		return "", err
	}
	defer dir.Remove()
	p := Program{Args: append(args[:len(args):len(args)], "--version"), Dir: dir.Path(), Limit: time.Minute, Files: 1 << 20,
		Memory: 4 << 30}
	err = p.Run(ctx)
	return p.printed(stdoutName), err
}

// watchEvery is how often the folder of a program is looked at: that disturbs its times little.
const watchEvery = 200 * time.Millisecond

// watch stops a program whose folder grows beyond its limit.
func (p Program) watch(ctx context.Context, stop func(error)) {
	for range time.Tick(watchEvery) {
		if ctx.Err() != nil {
			return
		}
		if folderBytes(p.Dir) > p.Files {
			stop(p.errTooMuch())
		}
	}
}

// folderBytes is the size of the files in a folder.
func folderBytes(dir string) (sum int64) {
	filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() { // else it may be gone by now
			if info, err := e.Info(); err == nil {
				sum += info.Size()
			}
		}
		return nil
	})
	return sum
}
