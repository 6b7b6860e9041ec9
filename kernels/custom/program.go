package custom

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"spmvtune/internal/base/files"
	"spmvtune/kernels"
)

// A Run is a program to be run.
type Program struct {
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

// Do runs the program until it ends, and kills what it has started. It must be called by a goroutine
// that is locked to its thread: the program dies with that. It returns what the program printed.
func (r Program) Run(ctx context.Context) (printed []byte, err error) {
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

	// sh counts in blocks of 512 bytes; no core dumps
	cmd := limited(ctx, r.Dir, fmt.Sprintf("ulimit -c 0; ulimit -f %d", r.Files/512), r.Args...)
	cmd.Stdout, cmd.Stderr = files[0], files[1]
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
func (r Program) explain(err error, state *os.ProcessState) error {
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
func (r Program) read(name string) ([]byte, error) {
	return files.ReadFile(filepath.Join(r.Dir, name), mostPrinted)
}

// watchEvery is how often the folder of a program is looked at: that disturbs its times little.
const watchEvery = 200 * time.Millisecond

// watch stops a program whose folder grows beyond its limit.
func (r Program) watch(ctx context.Context, stop func(error)) {
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

// Placeholders are the names that stand for something in a command. Those of a configuration have
// their values.
func Placeholders(o kernels.Custom, c kernels.Config) map[string]string {
	values := map[string]string{
		"matrix": "", "x": "", "y": "", "cache": "", "rows": "", "cols": "", "nonzeros": "",
		"block": strconv.Itoa(c.Block), "grid": strconv.Itoa(c.Grid), "precision": string(c.Precision),
		"params": string(c.Params),
	}
	for _, p := range o.Params {
		values[p.Name] = o.Setting(c.Params, p.Name)
	}
	return values
}

// Source returns a SHA-256, in hexadecimal, over a command and the content of each file that it
// names. A program that is not there fails when it is run.
func ProgramSource(o kernels.Custom) string {
	path, _ := exec.LookPath(o.Command[0])
	h := sha256.New()
	fmt.Fprintln(h, o.Digest())
	for _, word := range append([]string{path}, o.Command[1:]...) {
		f, err := files.Open(word)
		if err != nil {
			continue // no file
		}
		_, err = io.Copy(h, f)
		if f.Close(); err != nil {
			fmt.Fprintln(h, "unreadable") // a folder
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// Split splits a command at blanks. Quotes, single or double, keep what is between them together;
// no other character is special.
func SplitCommand(command string) (words []string, err error) {
	rest := commandWord.ReplaceAllStringFunc(command, func(word string) string {
		words = append(words, quoted.ReplaceAllString(word, "$1$2"))
		return ""
	})
	if rest = strings.TrimSpace(rest); rest != "" {
		return nil, fmt.Errorf("the quote %s has no end", rest[:1])
	}
	return words, nil
}

// A word of a command, and a part of one in quotes.
var (
	commandWord = regexp.MustCompile(`(?:[^ \t\r\n"']|"[^"]*"|'[^']*')+`)
	quoted      = regexp.MustCompile(`"([^"]*)"|'([^']*)'`)
)

// placeholder matches {name}, and {{ and }}, which stand for braces.
var placeholder = regexp.MustCompile(`\{\{|\}\}|\{[^{}]*\}|[{}]`)

// Expand puts values in the place of placeholders. A word stays one word, whatever the values are.
func Expand(words []string, values map[string]string) ([]string, error) {
	var errs []error
	expanded := make([]string, len(words))
	for i, word := range words {
		expanded[i] = placeholder.ReplaceAllStringFunc(word, func(found string) string {
			switch found {
			case "{{", "}}":
				return found[:1]
			case "{", "}":
				errs = append(errs, fmt.Errorf("a brace in %q stands alone: write %s%[2]s for a brace", word, found))
				return ""
			}
			v, known := values[found[1:len(found)-1]]
			if !known {
				errs = append(errs, fmt.Errorf("there is no placeholder %s: there are {%s}", found,
					strings.Join(slices.Sorted(maps.Keys(values)), "}, {")))
			}
			return v
		})
	}
	return expanded, errors.Join(errs...)
}

// Uses reports whether words have a placeholder.
func Uses(words []string, name string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		return slices.Contains(placeholder.FindAllString(word, -1), "{"+name+"}")
	})
}

// Times are what a program prints about its products, in seconds.
type Times struct {
	Samples []float64 // in the order in which they were printed
	Prepare float64   // before the first product; 0: not told
}

const (
	mostSamples = 100_000
	shortest    = 1e-6 // ms; no product takes less than a nanosecond
)

// ReadTimes finds the times in what a program printed. Each line that is a JSON object with
// time_ms, a number or a list of numbers, has samples, and so has each line time_ms=NUMBER; prepare_ms
// in either form is the preparation. Other lines are left alone.
func ReadTimes(text []byte) (t Times, err error) {
	for line := range bytes.Lines(text) {
		samples, prepare, err := readLine(strings.TrimSpace(string(line)))
		if err != nil {
			return t, err
		}
		for _, ms := range samples {
			if !(ms >= shortest) || math.IsInf(ms, 0) {
				return t, fmt.Errorf("it prints the time %v ms", ms)
			}
			t.Samples = append(t.Samples, ms/1e3)
		}
		if prepare < 0 || math.IsNaN(prepare) || math.IsInf(prepare, 0) {
			return t, fmt.Errorf("it prints the preparation %v ms", prepare)
		}
		t.Prepare += prepare / 1e3
		if len(t.Samples) > mostSamples {
			return t, fmt.Errorf("it prints more than %d times", mostSamples)
		}
	}

	if len(t.Samples) == 0 {
		return t, errors.New(`it prints no time: a line time_ms=NUMBER, or {"time_ms": NUMBER or [NUMBERS]}`)
	}
	return t, nil
}

// readLine reads a line, in milliseconds.
func readLine(line string) (samples []float64, prepare float64, err error) {
	if !strings.HasPrefix(line, "{") {
		name, text, _ := strings.Cut(line, "=")
		v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		switch name = strings.TrimSpace(name); {
		case name != "time_ms" && name != "prepare_ms":
			return nil, 0, nil
		case err != nil:
			return nil, 0, fmt.Errorf("%s is not a number: %.80q", name, text)
		case name == "prepare_ms":
			return nil, v, nil
		}
		return []float64{v}, 0, nil
	}

	var printed struct {
		Time    json.RawMessage `json:"time_ms"`
		Prepare float64         `json:"prepare_ms"`
	}
	if err := json.Unmarshal([]byte(line), &printed); err != nil && strings.Contains(line, `"time_ms"`) {
		return nil, 0, fmt.Errorf("its line with time_ms is not JSON: %.80q", line)
	}
	if one := 0.0; json.Unmarshal(printed.Time, &one) == nil {
		samples = []float64{one}
	} else if len(printed.Time) > 0 && json.Unmarshal(printed.Time, &samples) != nil {
		return nil, 0, fmt.Errorf("time_ms is neither a number nor a list of numbers: %.80s", printed.Time)
	}
	return samples, printed.Prepare, nil
}

// ReadVector reads n numbers, with white space between them.
func ReadVector(text []byte, y []float64) error {
	n := 0
	for word := range bytes.FieldsSeq(text) {
		v, err := strconv.ParseFloat(string(word), 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return fmt.Errorf("its y is not of numbers: %.40q", word)
		}
		if n < len(y) {
			y[n] = v
		}
		n++
	}
	if n != len(y) {
		return fmt.Errorf("its y has %d elements for %d rows", n, len(y))
	}
	return nil
}
