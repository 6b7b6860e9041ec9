// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/store"
)

// A twin counts as its original, and is said to be one.
func TestTwinsStandIn(t *testing.T) {
	j := judged(t, "another csr_adaptive 30 long_row=warp \n another csr_adaptive 2 long_row=block", 1.001, 11, gpu)
	f := j.Parts[0]
	testkit.EqualLists(t, []any{len(f.Cases), f.Cases[0].Of, f.Cases[0].Name()}, []any{1, "rail4284", "another (twin of rail4284)"}, "cases")
	p := f.Cases[0].Published
	testkit.Check(t, p != nil && *p >= 15 && *p <= 16, "beside it stands %v of what was published for the original", p)
	testkit.Says(t, "published", f.PublishedWords(), "TITAN X")
}

// What is known to be unsound about a published figure stands beside it.
func TestCaveats(t *testing.T) {
	j := judged(t, "s1 cpu_csr 1", 1.001, 4, cpu)
	c := j.Parts[1].Caveats()
	testkit.Check(t, len(c) != 0 && strings.Contains(c[0], "no result was verified"), "caveats %q", c)
}

// Of a configuration that was measured again, the latest trial counts.
func TestLatestCounts(t *testing.T) {
	db := database(t, "s* cpu_coo 2.5 \n s* cpu_csr 1", 1.001)
	for _, name := range []string{"s1", "s2", "s3", "s4"} {
		r := oneTrial(t, matrices[name], []string{"cpu_csr", "5"}, 1.001)
		r.ID, r.At = "again "+name, r.At.Add(time.Hour)
		testkit.Succeed(t, db.Record(t.Context(), r))
	}
	list := judgements(t, db, All()[0])
	testkit.Equal(t, list[0].Verdict, Fails, "as if the first times still counted")
}

// What is saved is what was judged, and replaces what was saved before.
func TestSaved(t *testing.T) {
	db := database(t, "s* cpu_coo 2.5 \n s* cpu_csr 1", 1.001)
	list := judgements(t, db, All()...)
	saved := testkit.Must(Saved(list))
	for range 2 {
		testkit.Succeed(t, db.SaveClaims(t.Context(), saved))
	}
	got := testkit.Must(db.Query(t.Context(), `SELECT c.claim, d.name, c.verdict, json_array_length(c.figures, '$.parts'),
		json_array_length(c.figures, '$.parts[0].cases') FROM claim c JOIN device d ON d.id = c.device ORDER BY d.name, c.claim`))
	testkit.Equal(t, len(got.Rows), 20, "claims")
	testkit.EqualLists(t, got.Rows[0], []any{int64(1), cpu, string(Holds), int64(2), int64(4)}, "saved")
	ro, err := store.OpenReadOnly(db.Path())
	testkit.Check(t, err == nil && ro.SaveClaims(t.Context(), saved) != nil, "a database that is only read takes claims (%v)", err)
}

// Words of figures keep the digits that their intervals deserve.
func TestFigure(t *testing.T) {
	for _, tt := range []struct {
		v, low, high float64
		want         string
	}{
		{2.4833, 2.41, 2.55, "2.48 (2.41 to 2.55)"},
		{0.70891, 0.7073, 0.7122, "0.7089 (0.7073 to 0.7122)"},
		{0.5, 0.5, 0.5, "0.500"},
		{1234.5, 1000, 1500, "1230 (1000 to 1500)"},
		{0, 0, 0, "0"},
	} {
		testkit.Equal(t, Figure(tt.v, tt.low, tt.high), tt.want, "figure")
	}
}

// A figure of which no interval is known decides nothing.
func TestWithoutIntervalUndecided(t *testing.T) {
	db := database(t, "s* cpu_coo 2.5 \n s* cpu_csr 1", 1.001)
	testkit.Equal(t, judgements(t, db, All()[0])[0].Parts[1].Verdict, Holds, "with intervals")
	for _, name := range []string{"s1", "s2", "s3", "s4"} {
		r := oneTrial(t, matrices[name], []string{"cpu_csr", "1"}, 1.001)
		r.ID, r.At, r.WithinLow, r.WithinHigh = "again "+name, r.At.Add(time.Hour), 0, 0
		testkit.Succeed(t, db.Record(t.Context(), r))
	}
	for _, f := range judgements(t, db, All()[0])[0].Parts {
		testkit.Equal(t, f.Verdict, Unknown, "%s, though times are not exact", f.Says)
	}
}
