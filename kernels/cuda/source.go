package cuda

import (
	"embed"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"spmvtune/kernels"
)

//go:embed *.cu *.cuh
var sources embed.FS

var includeLine = regexp.MustCompile(`(?m)^#include "(\w+\.cuh)".*\n`)

// Text is the source of a kernel with what it includes, as one file that nvcc compiles, after what its launch needs: as
// many threads as c has, on a matrix with one row of n nonzeros. It is an error if the code is a library's.
func Text(k kernels.Kernel, c kernels.Config, n int) (string, error) {
	files := kernelFiles()[k.Name]
	if len(files) == 0 {
		return "", fmt.Errorf("%s has no source here: it is a library's", k.Name)
	}
	var b strings.Builder
	b.WriteString("// From spmvtune, under the Apache License, Version 2.0 (http://www.apache.org/licenses/LICENSE-2.0).\n//\n")
	for _, line := range [][2]string{{"kernel", k.Name}, {"format", string(k.Format)}, {"mapping", k.Mapping},
		{"block", k.Block}, {"grid", k.Grid}, {"needs", k.Legal}} {
		if line[1] != "" {
			fmt.Fprintf(&b, "// %s: %s\n", line[0], line[1])
		}
	}
	if r, _, err := newRecipe(oneRow(n), c, 4); err == nil {
		fmt.Fprintf(&b, "//\n// A product of %s on a matrix of one row with %d nonzeros, in float32 (macros make the names; _f64 is float64):\n", c, n)
		if r.Zero {
			b.WriteString("//     y is set to 0: the kernel adds to it\n")
		}
		for _, s := range r.Steps {
			var args []string
			for _, g := range s.Args {
				if g.array == "" {
					g.array = fmt.Sprint(g.value)
				}
				args = append(args, g.array)
			}
			fmt.Fprintf(&b, "//     %s_f32<<<%d, %d, %d>>>(%s)\n", s.Entry, s.Grid, s.Block, s.Shared, strings.Join(args, ", "))
		}
	}
	b.WriteString("\n")
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
