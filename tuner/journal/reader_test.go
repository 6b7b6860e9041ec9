// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/tuner/trial"
)

// Wherever the last line is torn, all before it is read, and the tear is said.
func TestTornLastLine(t *testing.T) {
	w := start(t, t.TempDir(), "1_1")
	write(t, w, 0, 3)
	data := testkit.Must(os.ReadFile(w.Path()))
	last := bytes.LastIndexByte(data[:len(data)-1], '\n') + 1
	for cut := last; cut < len(data); cut++ {
		trials, problems, _ := content(t, file(t, data[:cut]))
		want := []string{"torn in line 5"}
		if cut == last {
			want = nil
		}
		testkit.Require(t, slices.Equal(trials, []string{"trial-0", "trial-1"}) && slices.Equal(problems, want),
			"cut %d bytes into the last line: %v, %v; want two trials, %v", cut-last, trials, problems, want)
	}
}

// An altered byte anywhere costs its line and never gives a false result.
func TestAlteredByte(t *testing.T) {
	w := start(t, t.TempDir(), "1_1")
	write(t, w, 0, 3)
	data := testkit.Must(os.ReadFile(w.Path()))
	from := bytes.Index(data, []byte("trial-1"))
	from = bytes.LastIndexByte(data[:from], '\n') + 1
	to := from + bytes.IndexByte(data[from:], '\n')
	for i := from; i < to; i++ {
		bad := bytes.Clone(data)
		bad[i] ^= 1
		trials, problems, _ := content(t, file(t, bad))
		testkit.Require(t, slices.Equal(trials, []string{"trial-0", "trial-2"}) && len(problems) != 0 &&
			problems[0] == "damaged in line 4", "byte %d of the line altered: %v, %v", i-from, trials, problems)
	}
}

func TestDamage(t *testing.T) {
	w := start(t, t.TempDir(), "1_1")
	write(t, w, 0, 3)
	testkit.Succeed(t, w.End(End{Reason: "done"}))
	lines := strings.SplitAfter(string(testkit.Must(os.ReadFile(w.Path()))), "\n") // matrix, run, three trials, end, ""
	unknown := testkit.Must(seal(3, "weather", map[string]int{"rain": 1}))
	number := testkit.Must(seal(3, trialKind, map[string]string{"run": "one"}))
	negative := testTrial(3)
	negative.Median = -1
	impossible := testkit.Must(seal(3, trialKind, encodeTrial(1, negative)))
	for _, tt := range []struct {
		name     string
		lines    []string
		trials   int
		problems string
		ends     int
	}{
		{"nothing", nil, 0, "[]", 0},
		{"whole", lines, 3, "[]", 1},
		{"empty lines", []string{lines[0], "\n", lines[1], lines[2], "\n"}, 1, "[damaged in line 2 damaged in line 5]", 0},
		{"an unknown kind", []string{lines[0], lines[1], string(unknown), lines[3]}, 1, "[unknown in line 3]", 0},
		{"a field of another type", []string{lines[0], lines[1], string(number), lines[3]}, 1, "[damaged in line 3]", 0},
		{"a negative time", []string{lines[0], lines[1], string(impossible), lines[3]}, 1, "[damaged in line 3]", 0},
		{"no run", []string{lines[0], lines[2]}, 0, "[missing in line 2 orphan in line 2]", 0},
		{"no matrix", []string{lines[1], lines[2]}, 0, "[missing in line 1 orphan in line 2]", 0},
		{"a trial taken out", []string{lines[0], lines[1], lines[2], lines[4], lines[5]}, 2, "[missing in line 4]", 1},
		{"all trials taken out", []string{lines[0], lines[1], lines[5]}, 0, "[missing in line 3]", 1},
		{"a trial twice", []string{lines[0], lines[1], lines[2], lines[2], lines[3]}, 2, "[strayed in line 4]", 0},
		{"trials swapped", []string{lines[0], lines[1], lines[3], lines[2], lines[4]}, 2,
			"[missing in line 3 strayed in line 4]", 0},
		{"taken out beside a damaged one", []string{lines[0], lines[1], "x\n", lines[4], lines[5]}, 1,
			"[damaged in line 3 missing in line 4]", 1},
		{"two in one line", []string{lines[0], lines[1], strings.TrimSpace(lines[2]) + lines[3], lines[4]}, 1,
			"[damaged in line 3 missing in line 4]", 0},
		{"zeros from a crash", []string{lines[0], lines[1], strings.Repeat("\x00", 4096)}, 0, "[torn in line 3]", 0},
		{"no lines at all", []string{strings.Repeat("x", maxLine+100), "\n", lines[0], lines[1], lines[2]}, 1,
			"[damaged in line 1]", 0},
		{"a torn giant", []string{lines[0], strings.Repeat("x", maxLine+100)}, 0, "[torn in line 2]", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			trials, problems, ends := content(t, file(t, []byte(strings.Join(tt.lines, ""))))
			testkit.Check(t, len(trials) == tt.trials && fmt.Sprint(problems) == tt.problems && ends == tt.ends,
				"%d trials, %v, %d ends; want %d, %s, %d", len(trials), problems, ends, tt.trials, tt.problems, tt.ends)
		})
	}
}

// A line that is too long for the reader's buffer is read all the same.
func TestLongLine(t *testing.T) {
	w := start(t, t.TempDir(), "1_1")
	r := testTrial(0)
	for range 50_000 {
		r.Samples = append(r.Samples, 1.0/3)
	}
	testkit.Succeed(t, w.Record(t.Context(), r))
	write(t, w, 1, 2)
	trials, problems, _ := content(t, w.Path())
	testkit.Check(t, len(trials) == 2 && problems == nil, "%v, %v", trials, problems)
}

// A reader goes on where it stopped, and takes a line that was being written
// once it is whole.
func TestReadOn(t *testing.T) {
	w := start(t, t.TempDir(), "1_1")
	write(t, w, 0, 3)
	data := testkit.Must(os.ReadFile(w.Path()))
	path := file(t, nil)
	r := NewReader(path)
	var trials []string
	for to := 0; to <= len(data); to += 100 {
		testkit.Succeed(t, os.WriteFile(path, data[:min(to+100, len(data))], 0o666))
		for rec, err := range r.Records(t.Context()) {
			testkit.Succeed(t, err)
			if rec.Trial != nil {
				trials = append(trials, rec.Trial.ID)
			}
			testkit.Check(t, rec.Problem == nil || rec.Problem.Kind == Torn, "%+v", rec.Problem)
		}
	}
	testkit.EqualLists(t, trials, []string{"trial-0", "trial-1", "trial-2"}, "trials")
}

func TestUnreadable(t *testing.T) {
	w := start(t, t.TempDir(), "1_1")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		ctx  context.Context
		path string
		want error
	}{
		{t.Context(), filepath.Join(t.TempDir(), "missing.jsonl"), os.ErrNotExist},
		{ended, w.Path(), context.Canceled},
		{t.Context(), t.TempDir(), nil},
	} {
		var last error
		for _, err := range Read(tt.ctx, tt.path) {
			last = err
		}
		testkit.Check(t, last != nil && (tt.want == nil || errors.Is(last, tt.want)) &&
			strings.Count(last.Error(), tt.path) == 1, "reading %s: %v, want %v", tt.path, last, tt.want)
	}
}

// FuzzRead feeds a reader anything: it must not fail, and must tell each line
// from the others.
func FuzzRead(f *testing.F) {
	w := start(f, f.TempDir(), "1_1")
	write(f, w, 0, 1)
	testkit.Succeed(f, w.End(End{Pieces: []trial.Piece{{Matrix: "grid"}}}))
	data := testkit.Must(os.ReadFile(w.Path()))
	f.Add(data, false)
	f.Add(data[:len(data)-1], false)
	for _, body := range []string{`"n":7,"end":{}}`, `"n":0,"end":{}}`, `"n":-1,"end":{}}`,
		`"trial":{"samples":[1,"NaN",null]}}`, `"trial":null}`, `"run":{}}`, `"end":[]}`, `"":}`,
		`"matrix":{"features":{"rows":-1}}}`} {
		f.Add([]byte(body), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, sealed bool) {
		lines := bytes.Count(data, []byte("\n"))
		if sealed { // past the checksum, which random bytes never have
			data = bytes.ReplaceAll(data, []byte("\n"), nil)
			data = Checksummed(data)
			lines = 1
		} else if len(data) > 0 && data[len(data)-1] != '\n' {
			lines++
		}
		records := 0
		err := NewReader("").scan(t.Context(), bytes.NewReader(data), func(rec Line) bool {
			if rec.Problem == nil || rec.Problem.Kind != Missing { // which comes before a line
				records++
			}
			set := 0
			for _, is := range []bool{rec.Run != nil, rec.Matrix != nil, rec.Trial != nil, rec.End != nil, rec.Problem != nil} {
				if is {
					set++
				}
			}
			testkit.Check(t, set == 1, "a record is %d things: %+v", set, rec)
			testkit.Check(t, rec.Trial == nil || rec.Trial.Run != nil && rec.Trial.Matrix != nil, "a trial without its run or its matrix")
			if rec.Trial != nil && rec.Trial.Check() != nil || rec.Matrix != nil && rec.Matrix.Check() != nil {
				t.Error("a trial or a matrix with values that none has")
			}
			return true
		})
		testkit.Succeed(t, err)
		testkit.Equal(t, records, lines, "records from")
	})
}
