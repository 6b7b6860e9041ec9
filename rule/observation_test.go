// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/trial"
)

// What the tuner records is what is learned from.
func TestFromStore(t *testing.T) {
	ctx := context.Background()
	db := testkit.Must(store.Open(filepath.Join(t.TempDir(), "results.db")))
	defer db.Close()
	check := func(err error) {
		t.Helper()
		testkit.Succeed(t, err)
	}

	check(db.Begin(ctx, tuner.RunInfo{
		Sweep:   &configs.Sweep{Name: "planted", Text: []byte("name = 'planted'")},
		Device:  kernels.Device{Backend: "cpu", Name: "lab"},
		Sources: map[string]string{"cpu_sell": "1", "cpu_csr": "2", "coo_segscan_warp_chunk_unroll": "3"},
	}))
	unroll := config("coo_segscan_warp_chunk_unroll", 64, 2)
	unroll.Params = kernels.Params("unroll=4")

	for m := range 6 {
		matrix := trial.Matrix{
			Name: fmt.Sprint("m", m), Class: "made", Hash: fmt.Sprint("hash",
				m), Source: "test", Field: "real", Symmetry: "general",
			Features:        sparse.Features{Rows: 100, Cols: 100, Nonzeros: 1000 * (m + 1), RowMean: float64(10 * (m + 1))},
			FeaturesSeconds: float64(m + 1),
		}
		check(db.Matrix(ctx, matrix))

		for i, r := range []trial.Result{
			{Trial: trial.Trial{Config: config("cpu_csr", 0, 0)}, Status: trial.OK, Median: 0.002},
			{Trial: trial.Trial{Config: unroll}, Status: trial.OK, Median: 0.001},
			{Trial: trial.Trial{Config: config("cpu_sell", 8, 2)}, Status: trial.Wrong, Message: "row 3"},
		} {
			if m >= 3 && r.Status == trial.OK {
				r.Median = 0.003 - r.Median
			}
			r.ID, r.Matrix, r.Cache, r.At = fmt.Sprint(m, "/", i), matrix.Hash, trial.Cold, time.Unix(1, 0)
			r.WithinLow, r.WithinHigh = r.Median*0.99, r.Median*1.01
			check(db.Record(ctx, r))
		}
	}

	obs := observed(t, db)
	r := learn(t, obs, DefaultOptions)
	testkit.Equal(t, r.Sweep, "planted", "the sweep")
	testkit.Equal(t, len(obs), 18, "observations")

	choose := func(mean float64, want kernels.Config) {
		t.Helper()
		c, err := r.Select(Key{Precision: kernels.Float32, Cache: "cold"}, sparse.Features{RowMean: mean}, Wanted{})
		check(err)
		testkit.Equal(t, c.Config.String(), want.String(), "row length %v: chose", mean)
		testkit.Equal(t, c.Expected, 1, "row length %v: part of the oracle", mean)
	}

	choose(15, unroll)
	choose(50, config("cpu_csr", 0, 0))
	for _, o := range obs {
		testkit.Equal(t, o.Failed, o.Config.Kernel == "cpu_sell", "%v on %s failed", o.Config, o.Matrix)
		if o.Matrix == "m0" && o.Config.Kernel == "cpu_csr" && math.Abs(o.Seconds-0.002) > 1e-12 {
			t.Errorf("0.002 s were read as %v", o.Seconds)
		}
		testkit.Equal(t, o.Reading, float64(o.Features.Nonzeros)/1000, "seconds that the features of %s took", o.Matrix)
	}
}

// A rule learns from the times that other runs find, not from those within the run.
func TestFromRowsOfOtherRuns(t *testing.T) {
	db := testkit.Must(store.Open(filepath.Join(t.TempDir(), "results.db")))
	defer db.Close()
	row := store.Row{Matrix: "m", Time: 2, Another: trial.Interval{Low: 1, High: 3}}
	row.Status, row.Median, row.WithinLow, row.WithinHigh = trial.OK, 1.9, 1.8, 1.95
	unseen := row
	unseen.Kernel = "mine" + kernels.NotVerified
	list := testkit.Must(FromRows(t.Context(), db, []store.Row{unseen, row}, []trial.Matrix{{Name: "m"}}))
	testkit.Equal(t, len(list), 1, "observations of a trial that is verified and one that is not")
	o := list[0]
	testkit.Check(t, o.Seconds == 2 && o.Low == 1 && o.High == 3, "%v s from %v to %v, want 2 from 1 to 3", o.Seconds, o.Low, o.High)
}

// observed reads all observations in a database.
func observed(t *testing.T, db *store.DB) []Observation {
	t.Helper()
	rows := testkit.Must(db.Results(t.Context(), store.Filter{}))
	matrices := testkit.Must(db.Features(t.Context()))
	return testkit.Must(FromRows(t.Context(), db, rows, matrices))
}

// What is saved teaches the same rule, and saving it again gives the same.
func TestTrainingTeachesTheSame(t *testing.T) {
	obs := messy(rand.New(rand.NewPCG(3, 9)), 30)
	for i := range obs {
		o := &obs[i]
		o.Seconds, o.Low, o.High, o.Source = digits(o.Seconds, 5), digits(o.Low, 5), digits(o.High, 5), "abc"
		o.Hardware, o.Reading, o.Prepare = Hardware{Cache: 50 << 20, Warps: 100}, 0.25, 0.125
		o.Features.Diagonals = math.NaN()
	}
	var b bytes.Buffer
	testkit.Succeed(t, SaveTraining(&b, obs, []string{"class1"}))
	text := b.Bytes()
	again, test, err := ReadTraining(bytes.NewReader(text))
	testkit.Succeed(t, err)
	testkit.EqualLists(t, test, []string{"class1"}, "the test")
	opt := DefaultOptions
	opt.Ensemble, opt.Test = true, test
	taught := written(t, learn(t, again, opt).WriteJSON)
	testkit.Equal(t, taught, written(t, learn(t, obs, opt).WriteJSON), "what was saved teaches")
	var c bytes.Buffer
	testkit.Succeed(t, SaveTraining(&c, again, test))
	testkit.Equal(t, c.String(), string(text), "saved again")
}

// What has no time, what is far too large, and a damaged file is refused.
func TestReadTrainingRefuses(t *testing.T) {
	packed := func(text string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(text)); err != nil || z.Close() != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	defer func(most int64) { mostTraining = most }(mostTraining)
	mostTraining = 1e6
	trial := func(row string) string {
		return `{"version": 1, "sweeps": ["s"], "devices": [{"name": "d"}], "matrices": [{"name": "m"}], ` +
			`"configs": [{"kernel": "k", "precision": "float32"}], "trials": [` + row + `]}`
	}
	whole := packed(trial(`[0, 0, 0, 0, "warm"]`))
	for text, want := range map[string]string{
		"": "", "no gzip": "", whole[:len(whole)/2]: "",
		trial(`[0, 0, 0, 0, "warm", 0, null, 1, 2, 0]`): "has not the 10 values of a trial",
		trial(`[0, 0, 0, 0, "warm", 0, 1, null, 2, 0]`): "has not the 10 values of a trial",
		trial(`[0, 0, null, 0, "warm"]`):                "has not the 10 values of a trial",
		trial(`[0, 0, "m", 0, "warm"]`):                 "cannot unmarshal string",
		trial(`[0, 0, 1, 0, "warm"]`):                   "trial 1: value 3 is 1 of 1",
		trial(strings.Repeat(" ", 1e6)):                 "more than 1 MB unpacked",
	} {
		if want != "" {
			text = packed(text)
		}
		_, _, err := ReadTraining(strings.NewReader(text))
		testkit.Fails(t, err, want, "%.80s", text)
		testkit.Fails(t, err, "saved observations", "%.80s", text)
	}
}
