package generate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"spmvtune/sparse"
)

// checkMean reports a mean row of more than half of the columns: rows must be able to differ.
func checkMean(generator string, v values) (Size, error) {
	rows, cols := v.int("rows"), v.int("cols")
	if v["row_nnz"] > float64(cols)/2 {
		return Size{}, &ArgError{generator, "row_nnz", fmt.Sprintf("%v is more than half of the %d columns",
			v["row_nnz"], cols)}
	}
	return Size{Rows: rows, Cols: cols, NNZ: int(math.Round(float64(rows) * v["row_nnz"]))}, nil
}

func planBipartite(v values) (Size, error) { return checkMean("bipartite", v) }

// buildBipartite gives users, in no order, as many items as Zipf's law says, and takes the items
// by the law, too: with these offsets the most active user has 80 times the mean, and the most
// popular of many items is in a seventh of the rows of the mean's length that items have places.
func buildBipartite(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	users, items := v.int("rows"), v.int("cols")
	size, err := planBipartite(v)
	if err != nil {
		return nil, err
	}
	activity := newSplit(users, size.NNZ, float64(users)/500, items/2+1)
	popularity := newZipf(items, float64(items)/1000)
	rank := permutation(users, newSource(v.seed(), forLengths))
	item := permutation(items, newSource(v.seed(), forOrder))

	src := newSource(v.seed(), forStructure)
	a := assembly{
		rows: users, cols: items,
		length: func(i int) int { return activity.part(int(rank[i])) },
		fill: func(i int, columns []int32) {
			s := src.stream(uint64(i))
			popularity.ranks(columns, &s)
			for k, r := range columns {
				columns[k] = item[r]
			}
			slices.Sort(columns)
		},
		value: newSource(v.seed(), forValues).value,
	}

	return a.build(ctx)
}

func planTerms(v values) (Size, error) { return checkMean("term_document", v) }

// buildTerms has a row for each word, the commonest first, and its documents anywhere. The offset
// of words is Mandelbrot's 2.7, or larger where that would put a word in more than nine tenths
// of the documents.
func buildTerms(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	words, documents := v.int("rows"), v.int("cols")
	size, err := planTerms(v)
	if err != nil {
		return nil, err
	}
	frequency := newSplit(words, size.NNZ, 2.7, documents*9/10+1)
	src := newSource(v.seed(), forStructure)
	a := assembly{
		rows: words, cols: documents,
		length: frequency.part,
		fill: func(i int, columns []int32) {
			s := src.stream(uint64(i))
			spread(columns, documents, &s)
		},
		value: newSource(v.seed(), forValues).value,
	}

	return a.build(ctx)
}
