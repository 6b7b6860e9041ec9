package tuner

import (
	"context"
	"slices"
	"strings"
	"testing"

	"spmvtune/configs"
	"spmvtune/internal/testing/testkit"
	"spmvtune/tuner/trial"
)

// Tasks that each measure a part do, together, what one run does, and nothing twice,
// however unevenly the trials fall into parts.
func TestPartsMakeTheWhole(t *testing.T) {
	sweep := testSweep(101, 102, 103, 104, 105, 106, 107)
	other := sweep.Matrices[0]
	other.Name, other.Args = "other", map[string]any{"nx": int64(4), "ny": int64(4)}
	sweep.Matrices = append(sweep.Matrices, other)
	whole := &memory{}
	runTest(t, sweep, whole, Options{})
	if whole.begun != 1 {
		t.Errorf("a run on two matrices begins %d times", whole.begun)
	}
	for _, n := range []int{1, 2, 3, 7, 9} {
		parts := &memory{}
		for i := range n {
			both := []trial.Piece{piece("grid", i, n), piece("other", n-1-i, n)}
			before := len(parts.results)
			sum := runTest(t, sweep, parts, Options{Pieces: both})
			if sum.Finished != 0 || len(parts.results)-before != sum.Trials {
				t.Errorf("part %d of %d: %d trials, %d of them measured before", i, n, sum.Trials, sum.Finished)
			}
			for _, p := range sum.Pieces {
				if !p.Complete {
					t.Errorf("part %d of %d: %+v", i, n, p)
				}
			}
		}
		if got, want := identities(parts), identities(whole); !slices.Equal(got, want) {
			t.Errorf("%d parts: %d trials, want %d", n, len(got), len(want))
		}
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
	if planned != 1 || sum.Trials != 3 || sum.Measured[trial.OK] != 3 || len(rec.results) != 3 || len(sum.Pieces) != 3 {
		t.Errorf("planned %d times, %d results, summary %+v", planned, len(rec.results), sum)
	}
	if sum := runTest(t, sweep, &memory{}, Options{Pieces: []trial.Piece{}}); sum.Trials != 0 ||
		sum.Matrices != 0 {
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
		if reason, ok := want[name]; ok == p.Complete || !strings.Contains(p.Reason, reason) {
			t.Errorf("%+v, want %q", p, reason)
		}
	}
	testkit.Equal(t, len(sum.Pieces), 5, "pieces")
	sum = runTest(t, sweep, rec, Options{Pieces: []trial.Piece{piece("elsewhere", 0, 1)}})
	if len(sum.Pieces) != 1 || sum.Pieces[0].Complete || !strings.Contains(sum.Pieces[0].Reason, "no such matrix") {
		t.Errorf("%+v", sum.Pieces)
	}
}

func identities(m *memory) []string {
	var ids []string
	for _, r := range m.results {
		ids = append(ids, r.ID)
	}
	slices.Sort(ids)
	return ids
}
