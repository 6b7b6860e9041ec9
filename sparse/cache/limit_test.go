// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"math"
	"os"
	"testing"
	"time"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/testing/testkit"
)

func TestListAndPrune(t *testing.T) {
	d := At(t.TempDir())
	var metas []Meta
	for i := range 4 {
		a, m := example(t, "grid_5pt", map[string]any{"nx": 9, "ny": 9 + i})
		fill(t, d, m, a)
		metas = append(metas, m)
		used := time.Now().Add(-time.Duration(i) * 24 * time.Hour)
		testkit.Succeed(t, os.Chtimes(d.entry(m.Key), used, used))
	}

	dead, alive := d.entry(metas[0].Key)+temporary+"1", d.entry(metas[0].Key)+temporary+"2"
	for _, name := range []string{dead, alive} {
		testkit.Succeed(t, os.WriteFile(name, nil, 0o666))
	}

	old := time.Now().Add(-2 * abandoned)
	os.Chtimes(dead, old, old)

	all := testkit.Must(d.List())
	testkit.Equal(t, len(all), 4, "entries")
	for i, e := range all {
		testkit.Check(t, e.Key == metas[i].Key && e.Source == metas[i].Source && e.Err == nil, "entry %d is %+v", i, e)
	}

	names := func(l Limits) []Key {
		t.Helper()
		return lists.Of(testkit.Must(d.Prune(l)), func(e Info) Key { return e.Key })
	}

	testkit.EqualLists(t, names(NoLimits), nil, "without limits go")
	testkit.Fails(t, testkit.Err(os.Stat(dead)), "", "what a process left behind")
	testkit.Must(os.Stat(alive))

	testkit.EqualLists(t, names(Limits{60 * time.Hour, math.MaxInt64}), []Key{metas[3].Key}, "by age go")
	testkit.EqualLists(t, names(Limits{math.MaxInt64, all[0].Size + all[1].Size}), []Key{metas[2].Key}, "by size go")
	testkit.Succeed(t, os.WriteFile(d.entry(metas[1].Key), []byte("torn"), 0o666))

	testkit.EqualLists(t, names(NoLimits), []Key{metas[1].Key}, "of the damaged go")
}

// What was used the longest ago goes first, unless it is open, until the rest fits.
func TestEvict(t *testing.T) {
	d := At(t.TempDir())
	var keys []Key
	for i, rows := range []int{1000, 1001, 1002} {
		a, m := example(t, "uniform", map[string]any{"rows": rows, "cols": 100, "row_nnz": 10})
		fill(t, d, m, a)
		at := time.Now().Add(time.Duration(i-3) * time.Hour)
		testkit.Succeed(t, os.Chtimes(d.entry(m.Key), at, at))
		keys = append(keys, m.Key)
	}
	evict := func(limit int64, want ...Key) {
		t.Helper()
		removed := testkit.Must(d.Evict(limit))
		testkit.Equal(t, len(removed), len(want), "removes")
		for i, e := range removed {
			testkit.Equal(t, e.Key, want[i], "removal %d", i)
			testkit.Equal(t, d.Has(e.Key), false, "removal %d is there", i)
		}
	}
	all := testkit.Must(d.List())
	testkit.Equal(t, len(all), 3, "entries")
	two := all[0].Size + all[1].Size

	evict(math.MaxInt64)
	evict(two + all[2].Size)
	used := testkit.Must(open(d.entry(keys[0]))) // as Open, without noting the use
	used.hold()
	evict(two, keys[1])
	testkit.Succeed(t, used.Close())
	evict(all[0].Size+all[2].Size-1, keys[0])
	evict(0) // the last one is in use, more likely than not
}

// The limit is a size, or none.
func TestLimit(t *testing.T) {
	for text, want := range map[string]int64{"": DefaultLimit, "50GB": 50e9, "none": math.MaxInt64} {
		t.Setenv(EnvLimit, text)
		testkit.Equal(t, testkit.Must(Limit()), want, "%q", text)
	}
	t.Setenv(EnvLimit, "much")
	testkit.Fails(t, testkit.Err(Limit()), "", "much")
}
