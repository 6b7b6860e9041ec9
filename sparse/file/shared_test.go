// SPDX-License-Identifier: Apache-2.0

package file

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/sparse"
)

// sharedFolder is ../shared/name seen from the repository's root. The test is
// skipped where it does not exist.
func sharedFolder(t *testing.T, name string) string {
	t.Helper()
	dir := testkit.Must(os.Getwd())

	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		up := filepath.Dir(dir)
		testkit.Require(t, up != dir, "no go.mod above the working directory")
		dir = up
	}

	folder := filepath.Join(dir, "..", "shared", name)
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("no folder ../shared/%s beside the repository: its files are not tested", name)
	}
	return folder
}

// index reads INDEX.tsv of a shared folder as one map per file.
func index(t *testing.T, folder string) []map[string]string {
	t.Helper()
	f := testkit.Must(os.Open(filepath.Join(folder, "INDEX.tsv")))
	defer f.Close()
	r := csv.NewReader(f)

	r.Comma, r.LazyQuotes, r.FieldsPerRecord = '\t', true, -1
	records := testkit.Must(r.ReadAll())

	var out []map[string]string
	for _, rec := range records[1:] {
		m := map[string]string{}
		for i, name := range records[0] {
			if i < len(rec) {
				m[name] = rec[i]
			}
		}
		out = append(out, m)
	}

	testkit.Require(t, len(out) != 0, "%s/INDEX.tsv lists nothing", folder)
	return out
}

// TestPublishedSymmetry compares the symmetry of the pattern with what the
// SuiteSparse collection says of the matrices that are there, too.
func TestPublishedSymmetry(t *testing.T) {
	published := publishedSymmetry(t, filepath.Join(sharedFolder(t, "published"), "suitesparse-index.tsv"))
	folder, compared := sharedFolder(t, "matrices"), 0
	for _, file := range index(t, folder) {
		name, rows, cols := strings.TrimSuffix(file["file"], ".mtx.gz"), file["rows"], file["cols"]
		want, there := published[strings.Join([]string{name, rows, cols}, " ")]
		if n, _ := strconv.Atoi(file["declared_entries"]); !there || !testkit.LongAsked() && n > 500_000 {
			continue
		}

		m, err := Read(t.Context(), filepath.Join(folder, file["file"]), Options{Expand: true, Complex: RealPart})
		if err != nil {
			t.Error(err)
			continue
		}

		if m.A.NNZ() != want.entries {
			continue // another version of the matrix
		}
		compared++
		f, off := sparse.Analyze(m.A), 0.0006 // three digits are published
		if f.Nonzeros > 1<<12 {
			off += 3 * 0.016
		}

		testkit.Near(t, f.PatternSymmetry, want.symmetry, off, "%s: symmetry", name)
	}

	testkit.Check(t, compared != 0, "no matrix was compared")
	t.Logf("%d matrices compared", compared)
}

type publishedPattern struct {
	entries  int // explicit zeros included
	symmetry float64
}

// publishedSymmetry reads the collection's index by name, rows and columns.
func publishedSymmetry(t *testing.T, path string) map[string]publishedPattern {
	f, err := os.Open(path)
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = '\t', true, -1

	records := testkit.Must(r.ReadAll())
	column := map[string]int{}
	for i, name := range records[0] {
		column[name] = i
	}

	all := map[string]publishedPattern{}
	for _, rec := range records[1:] {
		get := func(name string) string { return rec[column[name]] }
		nonzeros, _ := strconv.Atoi(get("nonzeros"))
		zeros, _ := strconv.Atoi(get("num_explicit_zeros"))
		symmetry, err := strconv.ParseFloat(get("pattern_symmetry"), 64)
		if err == nil {
			all[strings.Join([]string{get("name"), get("num_rows"), get("num_cols")},
				" ")] = publishedPattern{nonzeros + zeros, symmetry}
		}
	}

	return all
}

// TestReadRealFiles reads every real and every odd but valid file and compares
// it with what independent readers found in it.
func TestReadRealFiles(t *testing.T) {
	for _, name := range []string{"matrices", "variants"} {
		t.Run(name, func(t *testing.T) {
			folder := sharedFolder(t, name)
			for _, want := range index(t, folder) {
				t.Run(want["file"], func(t *testing.T) {
					t.Parallel()
					if n, _ := strconv.Atoi(want["declared_entries"]); !testkit.LongAsked() && n > 500_000 {
						t.Skip("a large file")
					}
					checkFile(t, filepath.Join(folder, want["file"]), want)
				})
			}
		})
	}
}

func checkFile(t *testing.T, path string, want map[string]string) {
	opt := DefaultOptions
	if want["field"] == "complex" {
		testkit.Fails(t, testkit.Err(Read(t.Context(), path, opt)), RealPart, "complex file without an option: got")
		opt.Complex = RealPart
	}

	m := testkit.Must(Read(t.Context(), path, opt))
	testkit.Succeed(t, m.A.Validate())

	number := func(column string) float64 {
		t.Helper()
		v, err := strconv.ParseFloat(want[column], 64)
		testkit.Require(t, err == nil, "column %s: %v", column, err)
		return v
	}

	same := func(what string, got int) {
		t.Helper()
		testkit.Equal(t, got, int(number(what)), "%s", what)
	}
	near := func(what string, got, abs, rel float64) {
		t.Helper()
		v := number(what)
		testkit.Near(t, got, v, abs+rel*math.Abs(v), "%s", what)
	}

	f := sparse.Analyze(m.A)
	same("rows", m.A.Rows)
	same("cols", m.A.Cols)
	same("declared_entries", m.Declared)
	same("duplicates", m.Duplicates)
	same("expanded_nnz", m.A.NNZ()+m.Duplicates)
	same("empty_rows", f.EmptyRows)

	if m.Duplicates == 0 {
		same("max_row", f.RowMax)
	}
	if m.Duplicates == 0 && m.Field != "complex" && m.Declared < 1e6 {
		stored := m // the index counts zeros in the file
		if m.Symmetry != "general" {
			stored = testkit.Must(Read(t.Context(), path, Options{Expand: false}))
			testkit.Equal(t, stored.A.NNZ(), m.Declared, "entries without expansion")
		}
		same("explicit_zeros", zeros(stored.A))
	}

	field := want["field"]
	if field == "double" {
		field = "real"
	}
	testkit.EqualLists(t, []string{m.Format, m.Field, m.Symmetry}, []string{want["format"], field, want["symmetry"]}, "read as")

	if want["bandwidth"] == "" { // variants list no more
		return
	}
	same("bandwidth", f.Bandwidth)
	if m.Duplicates == 0 {
		same("min_row", f.RowMin)
		near("mean_row", f.RowMean, 0.0005001, 0) // the index has three decimals
		near("std_row", f.RowStd, 0.0005001, 0)
	}

	// The sum of |a·x| bounds what the order of summation can change.
	norm, size := product(m.A)
	near("y_norm2_for_x_cos_k", norm, 1e-14*size, 1e-12)
}

func zeros(m *sparse.CSR[float64]) int {
	n := 0
	for _, v := range m.Val {
		if v == 0 {
			n++
		}
	}
	return n
}

// product returns the 2-norms of A·x and of |A|·|x|, for x_k = cos(k).
func product(m *sparse.CSR[float64]) (norm, size float64) {
	x := make([]float64, m.Cols)
	for k := range x {
		x[k] = math.Cos(float64(k))
	}
	var squares, rest float64 // Kahan's sum: there are up to millions of rows

	for i := range m.Rows {
		cols, vals := m.Row(i)
		var y, abs float64
		for k, j := range cols {
			p := vals[k] * x[j]
			y += p
			abs += math.Abs(p)
		}

		add := y*y - rest
		sum := squares + add
		squares, rest = sum, (sum-squares)-add
		size += abs * abs
	}

	return math.Sqrt(squares), math.Sqrt(size)
}
