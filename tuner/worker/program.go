// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/kernels/custom"
	"example.org/spmvtune/sparse/file"
	"example.org/spmvtune/tuner/trial"
)

// program returns the kernel with this name, if it is a program.
func (w *server) program(name string) (kernels.Custom, bool) {
	o, ok := kernels.LookupCustom(w.custom, name)
	return o, ok && o.Command != nil
}

// scratch is the folder of programs; "" if there are none.
func (w *server) scratch() string {
	if dir := w.folder.Load(); dir != nil {
		return *dir
	}
	return ""
}

// The files that programs of a sweep read, in its folder.
func (w *server) matrixFile() string { return filepath.Join(w.scratch(), w.matrix.Hash+".mtx") }
func (w *server) vectorFile() string { return filepath.Join(w.scratch(), w.matrix.Hash+".x") }

// writeForPrograms writes the matrix and x for programs, where the sweep has any for this device.
// Those of the matrix before go. A plan runs no programs.
func (w *server) writeForPrograms() error {
	if w.scratch() == "" || !slices.ContainsFunc(w.custom, func(o kernels.Custom) bool {
		return o.Command != nil && o.Backend == w.backend.Device().Backend
	}) {
		return nil
	}
	if _, err := os.Stat(w.vectorFile()); err == nil { // of another worker
		w.written = w.programFiles()
		return nil
	}
	return w.rewrite()
}

// rewrite writes them again.
func (w *server) rewrite() error {
	if err := os.MkdirAll(w.scratch(), 0o700); err != nil {
		return fmt.Errorf("making a folder for programs: %w", err)
	}
	old, _ := os.ReadDir(w.scratch())
	for _, e := range old {
		os.RemoveAll(filepath.Join(w.scratch(), e.Name()))
	}

	form, _ := file.FormOf(".mtx")
	err := files.WriteTo(w.matrixFile(), func(f io.Writer) error {
		return form.Write(f, w.problem.A, file.Writing{})
	})
	if err == nil {
		err = files.WriteTo(w.vectorFile(), func(f io.Writer) error {
			out := bufio.NewWriter(f)
			for _, v := range w.problem.X {
				out.WriteString(strconv.FormatFloat(v, 'g', -1, 64) + "\n")
			}
			return out.Flush()
		})
	}
	if err != nil {
		return fmt.Errorf("writing the matrix for programs: %w", err)
	}
	w.written = w.programFiles()
	return nil
}

// programFiles says which files programs read: others, or changed ones, are told from them.
func (w *server) programFiles() (list [2]string) {
	for i, name := range []string{w.matrixFile(), w.vectorFile()} {
		if info, err := os.Lstat(name); err == nil {
			list[i] = fmt.Sprint(info.Mode(), info.Size(), info.ModTime().UnixNano())
		}
	}
	return list
}

// Most of what a program may write, beside a y with so many bytes for an element.
const (
	programFiles = 64 << 20
	elementBytes = 40
)

// programShare is the share of a trial's time limit after which a program is killed: before the
// worker would be.
const programShare = 0.9

// runProgram runs a program once. Its samples are those that it prints. Whatever it does wrong is
// its own trial's result, and the worker goes on.
func (w *server) runProgram(o kernels.Custom, req TrialRequest, r *trial.Result, e *TimeBreakdown) error {
	defer Spend(&e.Kernels, time.Now())
	dir, err := os.MkdirTemp(w.scratch(), "run-")
	if err != nil {
		return fmt.Errorf("making a folder for a program: %w", err)
	}
	defer os.RemoveAll(dir)
	y := filepath.Join(dir, "y.txt")
	args, err := custom.Expand(o.Command, w.placeholders(o, r.Trial, y))
	if err != nil {
		return &kernels.InvalidError{Reason: err.Error()}
	}

	run := custom.Program{
		Args: args, Dir: dir, Alone: true, Limit: time.Duration(programShare * float64(req.Protocol.Timeout)),
		Files: programFiles + elementBytes*int64(w.problem.A.Rows),
	}
	start := time.Now()
	err = run.Run(context.Background())
	took := time.Since(start)
	if w.programFiles() != w.written {
		if err := w.rewrite(); err != nil {
			return err
		}
		err = errors.New("it changed the files of the matrix or x, which others read")
	}
	var times custom.Times
	printed, unread := run.Printed()
	if err = cmp.Or(err, unread); err == nil {
		times, err = custom.ReadTimes(printed)
	}
	if err == nil && slices.Max(times.Samples) > took.Seconds() {
		err = fmt.Errorf("it prints a time of %.4g s, and ended after %.4g s", slices.Max(times.Samples), took.Seconds())
	}
	verified := custom.Uses(o.Command, "y")
	if err == nil && verified {
		err = w.verifyProgram(o, y, run.Files, r)
	}

	switch {
	case errors.Is(err, custom.ErrLate):
		r.Status, r.Message = trial.Timeout, "the program: "+err.Error()
	case err != nil:
		r.Status, r.Message = trial.Fault, "the program: "+err.Error()
	case r.Status == trial.OK:
		if !verified {
			r.Message = "not verified: the program gives no y"
		}
		r.Samples, r.Prepare, r.Batch, r.Stop = times.Samples, times.Prepare, 1, trial.StopSamples
		a := w.problem.A
		r.BytesMin = bytesMin(w.matrix.Features, r.Precision, kernels.ProductInfo{ // as if it had CSR
			BytesFormat: int64(4*(a.Rows+1) + (4+r.Precision.Bytes())*a.NNZ())})
		summarize(r, 0)
	}
	return nil
}

// placeholders are what a program is told of a trial, by the names in its command.
func (w *server) placeholders(o kernels.Custom, t trial.Trial, y string) map[string]string {
	values := custom.Placeholders(o, t.Config)
	a := w.problem.A
	for name, n := range map[string]int{"rows": a.Rows, "cols": a.Cols, "nonzeros": a.NNZ()} {
		values[name] = strconv.Itoa(n)
	}
	values["matrix"], values["x"], values["y"], values["cache"] = w.matrixFile(), w.vectorFile(), y, string(t.Cache)
	return values
}

// verifyProgram compares the y that a program has written with the reference of its x: that which
// it was given or, if it takes none, ones.
func (w *server) verifyProgram(o kernels.Custom, path string, most int64, r *trial.Result) error {
	text, err := files.ReadFile(path, most)
	if errors.Is(err, os.ErrNotExist) {
		return errors.New("it wrote no y")
	}
	if err != nil {
		return err
	}
	if err := custom.ReadVector(text, w.y); err != nil {
		return err
	}

	ref := w.ones[r.Precision]
	if custom.Uses(o.Command, "x") {
		ref, err = w.reference(scope{precision: r.Precision})
	} else if ref == nil {
		x := slices.Repeat([]float64{1}, w.problem.A.Cols)
		ref, err = newReference(&kernels.Problem{A: w.problem.A, X: x}, r.Precision)
		w.ones[r.Precision] = ref
	}
	if err != nil {
		return err
	}
	w.judge(ref, r, "")
	return nil
}

// isCustom reports whether the sweep brings the source of a kernel, which runs in this process.
func (w *server) isCustom(name string) bool {
	o, ok := kernels.LookupCustom(w.custom, name)
	return ok && o.Command == nil
}

// confine keeps a kernel that a sweep defines from filling the disk while it runs: it can't write
// to files, and its folder is a temporary one. An attempt ends the worker. It returns what lifts
// this.
func (w *server) confine(name string) (lift func()) {
	if !w.isCustom(name) {
		return func() {}
	}
	var before unix.Rlimit
	here, err := os.Getwd()
	if err != nil || unix.Getrlimit(unix.RLIMIT_FSIZE, &before) != nil {
		return func() {}
	}
	dir := customFolder(os.Getpid())
	os.RemoveAll(dir)
	if os.Mkdir(dir, 0o700) == nil {
		os.Chdir(dir)
	}
	unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 0, Max: before.Max})
	return func() {
		unix.Setrlimit(unix.RLIMIT_FSIZE, &before)
		os.Chdir(here)
		os.RemoveAll(dir)
	}
}

// customFolder is where kernels that a sweep defines run in a worker with this process. Whoever outlives the worker
// removes it.
func customFolder(pid int) string {
	return filepath.Join(os.TempDir(), "spmvtune-kernel-"+strconv.Itoa(pid))
}

// patience is how long OpenMP's threads, say, may wait for work by computing, after a kernel has returned.
const patience = 500 * time.Millisecond

// goesOn reports whether other threads of this process go on computing, which would disturb the next trial. It waits
// until they do not. On a busy machine a thread with little to do also waits for a core: by the hundredth look it has
// had one.
func goesOn() bool {
	for start, looks := time.Now(), 0; looks < 100 || time.Since(start) < patience; looks++ {
		time.Sleep(time.Millisecond)
		if running() <= 1 { // this one
			return false
		}
	}
	return true
}

// running is how many threads of this process compute, or wait for nothing but a core.
func running() (n int) {
	files, _ := filepath.Glob("/proc/self/task/*/stat")
	for _, name := range files {
		text, _ := os.ReadFile(name)
		if _, state, _ := strings.Cut(string(text), ") "); strings.HasPrefix(state, "R") {
			n++
		}
	}
	return n
}
