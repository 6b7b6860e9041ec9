// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/kernels/custom"
)

//go:embed *.cu *.cuh
var sources embed.FS

var includeLine = regexp.MustCompile(`(?m)^#include "(\w+\.cuh)".*\n`)

// Text is the source of a kernel with what it includes, as one file that nvcc and NVRTC compile, after what its launch
// needs. It is an error if the code is a library's.
func Text(k kernels.Kernel) (string, error) {
	files := kernelFiles()[k.Name]
	if len(files) == 0 {
		return "", fmt.Errorf("%s has no source here: it is a library's", k.Name)
	}
	var b strings.Builder
	b.WriteString(k.Head() + launching(k) + "\n")
	seen := map[string]bool{}
	var failure error
	var put func(name string) string
	put = func(name string) string {
		data, err := sources.ReadFile(name)
		failure = errors.Join(failure, err)
		return includeLine.ReplaceAllStringFunc(strings.ReplaceAll(string(data), "#pragma once\n", ""), func(line string) string {
			of := includeLine.FindStringSubmatch(line)[1]
			if seen[of] {
				return ""
			}
			seen[of] = true
			return put(of)
		})
	}
	b.WriteString(put(files[0].source + ".cu"))
	return b.String(), failure
}

// An instance is a product on a matrix of which every row has three nonzeros.
type instance struct{ rows, cols, block, grid, v int }

func (l instance) nnz() int { return 3 * l.rows }

// The instances from which the numbers of any launch are told.
var instances = []instance{{3000, 5000, 256, 1056, 4}, {60001, 9007, 64, 7, 4}, {60001, 9007, 64, 7, 8}, {31, 999, 128, 11, 8}}

// terms are what numbers of a launch are, in C. tile and tiles are csr_merge's.
var terms = []string{
	"rows", "cols", "nnz", "block", "grid", "(nnz + grid * block - 1) / (grid * block)", "(nnz + block - 1) / block",
	"(rows + 63) / 64", "min(grid * block, 32 * rows)", "block * sizeof(V)", "block * 2 * sizeof(V)",
	"(block * 2 + (block * 2 - 1) / 32) * sizeof(V)", "block * (2 * sizeof(V) + sizeof(int))",
	"block / 32 * 128 * sizeof(V)", "128 * sizeof(V)", "1024 * sizeof(V) + 65 * sizeof(int)", "tile",
	"tile * sizeof(V) + sizeof(int)", "tiles", "tiles + 1", "(tiles + 255) / 256", "(tiles + 256) / 256",
}

// value is what a term is in an instance.
func (l instance) value(term string) int {
	tile := l.block * mergeItems(l.v)
	n, err := custom.Value(strings.NewReplacer("sizeof(V)", fmt.Sprint(l.v), "sizeof(int)", "4").Replace(term), map[string]int{
		"rows": l.rows, "cols": l.cols, "nnz": l.nnz(), "block": l.block, "grid": l.grid, "tile": tile,
		"tiles": ceilDiv(l.rows+l.nnz(), tile)})
	if err != nil {
		panic(err) // the terms are a part of the program
	}
	return n
}

// told says in C what a number is that has these values in instances; as it is in the first where that is not known.
func told(of func(i int) int) string {
	for _, t := range terms {
		if !slices.ContainsFunc(instances, func(l instance) bool { return l.value(t) != of(slices.Index(instances, l)) }) {
			return t
		}
	}
	return fmt.Sprint(of(0))
}

// launching says in C what a product with the parameters' defaults launches. Where the host packs something, it says so
// for one matrix.
func launching(k kernels.Kernel) string {
	var all []*recipe
	for _, l := range instances {
		m := &structure{Rows: l.rows, Cols: l.cols, RowPtr: make([]int32, l.rows+1), ColIdx: make([]int32, l.nnz()),
			Val: make([]float64, l.nnz())}
		for i := range m.ColIdx {
			m.RowPtr[i/3+1], m.ColIdx[i] = int32(i/3*3+3), int32(i/9%(l.cols/3)*3+i%3)
		}
		c := kernels.Config{Kernel: k.Name, Precision: map[int]kernels.Precision{4: kernels.Float32, 8: kernels.Float64}[l.v],
			Block: l.block, Grid: l.grid, Params: k.Complete("")}
		if k.Grid == "" {
			c.Grid = 0
		}
		r, err := newRecipe(m, c, l.v)
		if err != nil {
			return fmt.Sprintf("// No product is shown: %v\n", err)
		}
		all = append(all, r)
	}
	var packed, made, run []string
	seen := map[string]bool{}
	for i, s := range all[0].Steps {
		if s.Grid == 0 {
			continue
		}
		var args []string
		for j, g := range s.Args {
			if g.kept {
				args = append(args, "0xffffffff /* all stay in the L2 cache; of a larger matrix, 2^32 times the share that has room */")
				continue
			}
			if g.array == "" {
				args = append(args, told(func(l int) int { return int(all[l].Steps[i].Args[j].value) }))
				continue
			}
			args = append(args, g.array)
			if g.own == nil || seen[g.array] {
				continue
			}
			seen[g.array] = true
			fill, kind, size := "", "V", told(func(l int) int { return all[l].Steps[i].Args[j].own.Values })+" * sizeof(V)"
			switch n := g.own.Bytes / 4; {
			case g.own.Values+g.own.Bytes == 0:
				packed = append(packed, g.array)
				continue
			case g.own.Clear:
				kind, size = "unsigned long long", fmt.Sprint(g.own.Bytes)
				run = append(run, fmt.Sprintf("cudaMemsetAsync(%s, 0, %s, stream);", g.array, size))
			case n > 0:
				kind, size = "int", "sizeof(int) * ("+told(func(l int) int { return all[l].Steps[i].Args[j].own.Bytes / 4 })+")"
				fill = fmt.Sprintf(" cudaMemset(%s, 0xff, %s);", g.array, size)
			}
			made = append(made, fmt.Sprintf("%s *%s; cudaMalloc(&%s, %s);%s", kind, g.array, g.array, size, fill))
		}
		run = append(run, fmt.Sprintf("%s_f32<<<%s, %s, %s, stream>>>(%s);", s.Entry,
			told(func(l int) int { return all[l].Steps[i].Grid }), told(func(l int) int { return all[l].Steps[i].Block }),
			told(func(l int) int { return all[l].Steps[i].Shared }), strings.Join(args, ", ")))
	}
	if all[0].Zero {
		run = append([]string{"cudaMemsetAsync(y, 0, rows * sizeof(V), stream); // the kernel adds to it"}, run...)
	}
	lines := append([]string{"using V = float; // for double, names end in _f64",
		fmt.Sprintf("int block = %d, grid = %d;", instances[0].block, instances[0].grid)}, made...)
	if strings.Contains(strings.Join(run, ""), "tile") && len(packed) == 0 {
		lines = slices.Insert(lines, 2, "int tile = block * (sizeof(V) == 4 ? 7 : 5), tiles = (rows + nnz + tile - 1) / tile;")
	}
	head := "// A product y = A x of rows x cols with nnz nonzeros, all arrays on the device; row_ptr, row_idx and col_idx count from 0.\n"
	if len(packed) > 0 {
		head = fmt.Sprintf("// The host packs %s, as this file says below and %s does.\n// A product of %d rows of three nonzeros in %d columns:\n",
			strings.Join(packed, ", "), "libspmvtune", instances[0].rows, instances[0].cols)
	}
	return head + "//\n//     " + strings.Join(append(lines, run...), "\n//     ") + "\n"
}
