package file

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"spmvtune/internal/testing/long"
	"spmvtune/sparse"
)

// TestPublishedSymmetry compares the symmetry of the pattern with what the
// SuiteSparse collection says of the matrices that are there, too.
func TestPublishedSymmetry(t *testing.T) {
	published := publishedSymmetry(t, filepath.Join(sharedFolder(t, "published"), "suitesparse-index.tsv"))
	folder, compared := sharedFolder(t, "matrices"), 0
	for _, file := range index(t, folder) {
		name, rows, cols := strings.TrimSuffix(file["file"], ".mtx.gz"), file["rows"], file["cols"]
		want, there := published[strings.Join([]string{name, rows, cols}, " ")]
		if n, _ := strconv.Atoi(file["declared_entries"]); !there || !long.Asked() && n > 500_000 {
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

		if math.Abs(f.PatternSymmetry-want.symmetry) > off {
			t.Errorf("%s: symmetry %v, published %v", name, f.PatternSymmetry, want.symmetry)
		}
	}

	if compared == 0 {
		t.Error("no matrix was compared")
	}
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

	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
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
