// SPDX-License-Identifier: Apache-2.0

package tuner

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/tuner/trial"
)

// A meeting is a recorder of several devices. The first result of each waits for those of the others.
type meeting struct {
	memory
	mu      sync.Mutex
	awaited int
	met     chan struct{}
	each    func(trial.Result) // may be nil
}

func newMeeting(devices int) *meeting { return &meeting{awaited: devices, met: make(chan struct{})} }

func (m *meeting) Begin(ctx context.Context, run RunInfo) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.memory.Begin(ctx, run)
}

func (m *meeting) Matrix(ctx context.Context, x trial.Matrix) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.memory.Matrix(ctx, x)
}

func (m *meeting) Recorded(ctx context.Context, ids []string, d trial.Detail) (map[string]trial.Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.memory.Recorded(ctx, ids, d)
}

func (m *meeting) Record(ctx context.Context, r trial.Result) error {
	m.mu.Lock()
	if !slices.ContainsFunc(m.results, func(o trial.Result) bool { return o.UUID == r.UUID }) {
		if m.awaited--; m.awaited == 0 {
			close(m.met)
		}
	}
	err := m.memory.Record(ctx, r)
	if m.each != nil {
		m.each(r)
	}
	m.mu.Unlock()

	select {
	case <-m.met:
		return err
	case <-time.After(time.Minute):
		return errors.New("the other devices measure nothing at the same time")
	}
}

// several is a sweep of some matrices of growing size for several GPUs.
func several(matrices int, indices ...int) *configs.Sweep {
	sweep := onGPU(testSweep(101, 102, 103, 104, 105))
	sweep.Device.Indices = indices
	one := sweep.Matrices[0]
	sweep.Matrices = nil
	for i := range matrices {
		one.Name = fmt.Sprintf("grid%d", i)
		one.Args = map[string]any{"nx": int64(7 + i), "ny": int64(5)}
		sweep.Matrices = append(sweep.Matrices, one)
	}
	return sweep
}

// devicesOf returns on which devices each matrix was measured, and fails if a trial is missing, failed or there twice.
func devicesOf(t *testing.T, rec *memory, trials int) map[string][]string {
	t.Helper()
	seen, on := map[string]bool{}, map[string][]string{}
	for _, r := range rec.results {
		testkit.Check(t, !seen[r.ID] && r.Status == trial.OK,
			"%s on %s is %s, there before: %v", r.Config, r.UUID, r.Status, seen[r.ID])
		seen[r.ID] = true
		name := rec.matrices[r.Matrix].Name
		if !slices.Contains(on[name], r.UUID) {
			on[name] = append(on[name], r.UUID)
		}
	}
	testkit.Equal(t, len(seen), trials, "trials")
	return on
}

// Devices share the matrices out, measure at the same time, and the trials are those of one device.
func TestSeveralDevices(t *testing.T) {
	rec := newMeeting(2)
	sweep := several(5, 0, 1)
	sweep.Protocol.Sentinel, sweep.Protocol.Finals, sweep.Protocol.Repeats = 2, 4, 3
	var started Started
	sum := runTest(t, sweep, rec, Options{Observe: func(e Event) {
		if e.Started != nil {
			started = *e.Started
		}
	}})
	used := map[string]bool{}
	for name, devices := range devicesOf(t, &rec.memory, 25) {
		testkit.Equal(t, len(devices), 1, "%s was measured on %v", name, devices)
		used[devices[0]] = true
	}
	for _, again := range slices.Concat(rec.finals, rec.spreads, rec.sentinels) {
		testkit.Equal(t, (rec.results[slices.IndexFunc(rec.results, func(r trial.Result) bool { return r.ID == again.ID })]).UUID, again.UUID, "%s is repeated on", again.Config)
	}
	testkit.Check(t, len(used) == 2 && rec.begun == 2 && started.Devices == 2 && started.Matrices == 5,
		"used %v, begun %d times, started %+v", used, rec.begun, started)
	testkit.Check(t, sum.Trials == 25 && sum.Measured[trial.OK] == 25 && sum.Device == "test processor" &&
		sum.Matrices == 5, "summary %+v", sum)

	// One device finds nothing left to do: the identities are the same.
	sweep.Device.Indices = nil
	if sum := runTest(t, sweep, rec, Options{}); sum.Finished != 25 || len(rec.results) != 25 {
		t.Errorf("one device finds %d trials, %d are there then", sum.Finished, len(rec.results))
	}
}

// A run that is stopped goes on with another number of devices.
func TestSeveralDevicesStopped(t *testing.T) {
	rec := newMeeting(2)
	ctx, cancel := context.WithCancel(t.Context())
	rec.each = func(trial.Result) {
		if len(rec.results) == 4 {
			cancel()
		}
	}
	sum, err := Run(ctx, several(3, 0, 1), rec, Options{Launch: launcher("cuda")})
	// Each device may still have a trial to record, and one that runs.
	if err != nil || !sum.Interrupted || len(rec.results) < 4 || len(rec.results) > 4+2*2 {
		t.Fatalf("error %v, interrupted %v, %d results", err, sum.Interrupted, len(rec.results))
	}
	before := len(rec.results)
	sum = runTest(t, several(3, 2), rec, Options{})
	devicesOf(t, &rec.memory, 15)
	testkit.Equal(t, sum.Finished, before, "trials were measured before")
}

// A device that is lost leaves its matrix to the others, which measure everything.
func TestDeviceLost(t *testing.T) {
	for name, indices := range map[string][]int{
		"at the start": {0, noDevice}, "in a trial": {0, fallsOff}, "while it loads": {0, fallsLoading},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("SPMVTUNE_TEST_FALLEN", filepath.Join(t.TempDir(), "fallen"))
			rec := newMeeting(2)
			if name != "in a trial" {
				rec = newMeeting(1)
			}
			var lost []Gone
			told := 0 // trials that an observer has counted
			var mu sync.Mutex
			ended, end := context.WithCancel(t.Context())
			sum := runTest(t, several(4, indices...), rec, Options{Retry: true, Observe: func(e Event) {
				mu.Lock()
				defer mu.Unlock()
				if e.Gone != nil {
					lost = append(lost, *e.Gone)
				}
				if e.Matrix != nil && !e.Matrix.Again {
					told += e.Matrix.Trials
				}
				if e.Gone != nil || e.Failure != nil {
					end()
				}
			}, Accept: func(trial.Matrix) error {
				if name == "while it loads" { // the other device leaves it a matrix
					<-ended.Done()
				}
				return nil
			}})
			devicesOf(t, &rec.memory, 20)
			testkit.Check(t, len(lost) == 1 && lost[0].Index == indices[1] && lost[0].Others == 1 && len(sum.Failures) == 0,
				"lost %+v, failures %+v", lost, sum.Failures)
			testkit.Equal(t, told, 20, "trials were announced")
			testkit.Check(t, sum.Trials == 20 && sum.Measured[trial.OK] == 20 &&
				sum.Finished+sum.FailedBefore+sum.OKBefore <= 0, "summary %+v", sum)
		})
	}

	t.Setenv("SPMVTUNE_TEST_FALLEN", filepath.Join(t.TempDir(), "fallen"))
	pieces := []trial.Piece{piece("grid0", 0, 1), piece("grid1", 0, 1)}
	rec := newMeeting(1)
	sum, err := Run(t.Context(), several(2, fallsOff, noDevice), rec, Options{Launch: launcher("cuda"), Pieces: pieces})
	testkit.Check(t, err != nil && strings.Contains(err.Error(), "there is no such device") && len(rec.results) == 2,
		"without any device: error %v, %d results", err, len(rec.results))
	for _, p := range sum.Pieces {
		testkit.Check(t, !p.Complete && strings.Contains(p.Reason, "there is no such device"), "piece %+v", p)
	}
	testkit.Equal(t, len(sum.Pieces), 2, "pieces %+v", sum.Pieces)
}

// A mistake in this program ends the run, and the parts that it concerns are not complete.
func TestMistakeNamesParts(t *testing.T) {
	pieces := []trial.Piece{piece("grid0", 0, 1), piece("grid1", 0, 1)}
	sum, err := Run(t.Context(), several(2, 0), newMeeting(1), Options{Launch: launcher("cuda"), Pieces: pieces,
		Observe: func(e Event) {
			if e.Result != nil {
				panic("a mistake")
			}
		}})
	testkit.Check(t, err != nil && len(sum.Pieces) == 2 && !sum.Pieces[0].Complete &&
		strings.Contains(sum.Pieces[0].Reason, "a mistake"), "error %v, pieces %+v", err, sum.Pieces)
}

// piece returns a part of the trials of a matrix.
func piece(matrix string, index, of int) trial.Piece {
	return trial.Piece{Matrix: matrix, Part: trial.Part{Index: index, Of: of}}
}

// A task cuts its parts once more where it has fewer matrices than GPUs, but never a search. A run does not.
func TestSharesOfParts(t *testing.T) {
	half := func(n string) trial.Piece { return piece(n, 1, 2) }
	for _, tt := range []struct {
		strategy string
		matrices int
		pieces   []trial.Piece
		want     []trial.Piece
	}{
		{"grid", 1, []trial.Piece{half("grid0")}, []trial.Piece{piece("grid0", 2, 4), piece("grid0", 3, 4)}},
		{"grid", 2, []trial.Piece{half("grid0"), half("grid1")}, []trial.Piece{half("grid1"), half("grid0")}},
		{"local", 1, []trial.Piece{half("grid0")}, []trial.Piece{half("grid0")}},
		{"rule", 1, []trial.Piece{half("grid0")}, []trial.Piece{half("grid0")}},
		{"grid", 1, nil, nil},
	} {
		sweep, c := several(tt.matrices), &devices{}
		sweep.Search.Strategy = tt.strategy
		c.fill(sweep, tt.pieces, 2)
		var got []trial.Piece
		for _, s := range c.todo {
			got = append(got, s.pieces...)
		}
		testkit.EqualLists(t, got, tt.want, "%s, %d matrices", tt.strategy, tt.matrices)
	}
}

// GPUs of other models are refused before anything is measured.
func TestDevicesOfTwoModels(t *testing.T) {
	rec := newMeeting(1)
	_, err := Run(t.Context(), several(2, 0, otherModel), rec, Options{Launch: launcher("cuda")})
	testkit.Check(t, err != nil &&
		strings.Contains(err.Error(), "GPU 0 is test processor and GPU 8 is other processor") && rec.begun <= 0,
		"error %v, begun %d times", err, rec.begun)
}

// What ends the run on one device ends it on the others.
func TestRecorderErrorEndsAllDevices(t *testing.T) {
	full := errors.New("disk full")
	rec := &fillsUp{newMeeting(2), full}
	sum, err := Run(t.Context(), several(4, 0, 1), rec, Options{Launch: launcher("cuda")})
	testkit.Check(t, errors.Is(err, full) && !sum.Interrupted && len(rec.results) <= 4,
		"error %v, interrupted %v, %d results", err, sum.Interrupted, len(rec.results))
}

// fillsUp fails with the first result of GPU-2.
type fillsUp struct {
	*meeting
	err error
}

func (f *fillsUp) Record(ctx context.Context, r trial.Result) error {
	if err := f.meeting.Record(ctx, r); err != nil || r.UUID != "GPU-2" {
		return err
	}
	return f.err
}

// Tasks that each measure a part do, together, what one run does, and nothing twice,
// however unevenly the trials fall into parts.
func TestPartsMakeTheWhole(t *testing.T) {
	sweep := testSweep(101, 102, 103, 104, 105, 106, 107)
	other := sweep.Matrices[0]
	other.Name, other.Args = "other", map[string]any{"nx": int64(4), "ny": int64(4)}
	sweep.Matrices = append(sweep.Matrices, other)
	whole := &memory{}
	runTest(t, sweep, whole, Options{})
	testkit.Equal(t, whole.begun, 1, "a run on two matrices begins")
	for _, n := range []int{1, 2, 3, 7, 9} {
		parts := &memory{}
		for i := range n {
			both := []trial.Piece{piece("grid", i, n), piece("other", n-1-i, n)}
			before := len(parts.results)
			sum := runTest(t, sweep, parts, Options{Pieces: both})
			testkit.Check(t, sum.Finished == 0 && len(parts.results)-before == sum.Trials,
				"part %d of %d: %d trials, %d of them measured before", i, n, sum.Trials, sum.Finished)
			for _, p := range sum.Pieces {
				testkit.Check(t, p.Complete, "part %d of %d: %+v", i, n, p)
			}
		}
		testkit.EqualLists(t, identities(parts), identities(whole), "%d parts", n)
	}
}

// Several parts of a matrix in one task are one load; matrices without a part are left
// out, and what overlaps is measured once.
func TestPartsOfOneMatrix(t *testing.T) {
	sweep := testSweep(101, 102, 103, 104)
	rec := &memory{}
	planned := 0
	sum := runTest(t, sweep, rec, Options{
		Pieces:  []trial.Piece{piece("grid", 0, 4), piece("grid", 0, 2), piece("grid", 3, 4)},
		Observe: func(e Event) { planned += count(e.Matrix != nil) },
	})
	testkit.Check(t, planned == 1 && sum.Trials == 3 && sum.Measured[trial.OK] == 3 && len(rec.results) == 3 &&
		len(sum.Pieces) == 3, "planned %d times, %d results, summary %+v", planned, len(rec.results), sum)
	if sum := runTest(t, sweep, &memory{}, Options{Pieces: []trial.Piece{}}); sum.Trials != 0 || sum.Matrices != 0 {
		t.Errorf("without parts: %+v", sum)
	}
}

// A piece that is not complete says why.
func TestPiecesSayWhyTheyAreNotComplete(t *testing.T) {
	sweep := testSweep(101, 102, 103, 104)
	sweep.Matrices = append([]configs.Matrix{{Name: "lost", Path: "no/such/file.mtx", Expand: true}}, sweep.Matrices...)
	last := sweep.Matrices[1]
	last.Name, last.Args = "last", map[string]any{"nx": int64(3), "ny": int64(3)}
	sweep.Matrices = append(sweep.Matrices, last)
	ctx, cancel := context.WithCancel(t.Context())
	rec := &memory{}
	sum := testkit.Must(Run(ctx, sweep, rec, Options{
		Launch: testLauncher,
		Pieces: []trial.Piece{piece("lost", 0, 1), piece("grid", 0, 4), piece("grid", 1, 2),
			piece("last", 0, 1), piece("elsewhere", 0, 1)},
		Observe: func(e Event) {
			if e.Result != nil && len(rec.results) == 2 {
				cancel()
			}
		},
	}))
	want := map[string]string{"lost": "no/such/file.mtx", "grid 1/2": "interrupted", "last": "interrupted",
		"elsewhere": "interrupted"}
	for _, p := range sum.Pieces {
		name := p.Matrix
		if p.Part == (trial.Part{Index: 1, Of: 2}) {
			name += " 1/2"
		}
		reason, ok := want[name]
		testkit.Check(t, ok != p.Complete && strings.Contains(p.Reason, reason), "%+v, want %q", p, reason)
	}
	testkit.Equal(t, len(sum.Pieces), 5, "pieces")
	sum = runTest(t, sweep, rec, Options{Pieces: []trial.Piece{piece("elsewhere", 0, 1)}})
	testkit.Check(t, len(sum.Pieces) == 1 && !sum.Pieces[0].Complete &&
		strings.Contains(sum.Pieces[0].Reason, "no such matrix"), "%+v", sum.Pieces)
}

func identities(m *memory) []string {
	var ids []string
	for _, r := range m.results {
		ids = append(ids, r.ID)
	}
	slices.Sort(ids)
	return ids
}
