package worker

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spmvtune/internal/base/gosource"
	"spmvtune/internal/testing/testkit"
)

var regen = flag.Bool("regen", false, "note the digests of the sources of a measurement")

// measurement lists the sources that decide what a sample is, and when a trial is good.
var measurement = []string{
	"judge.go", "measure.go", "meter.go", "reference.go",
	"../../kernels/cpu/product.go", "../../kernels/cpu/sample.go",
	"../../kernels/cuda/judge.cu", "../../kernels/cuda/judge.go", "../../kernels/cuda/judge_cuda.go",
	"../../kernels/cuda/gate.cu", "../../kernels/cuda/launch_cuda.c", "../../kernels/cuda/launch_cuda.go",
	"../../kernels/cuda/launch_cuda.h", "../../kernels/cuda/product_cuda.go", "../../kernels/cuda/cuda.go",
}

// The code that decides what a sample is does not change without somebody asking whether
// the version of the measurement must change, too.
func TestVersion(t *testing.T) {
	const noted = "testdata/measurement"
	lines := []string{fmt.Sprintf("version %d", Version)}
	for _, path := range measurement {
		lines = append(lines, digest(t, path)+" "+path)
	}
	text := strings.Join(lines, "\n") + "\n"
	if *regen {
		testkit.Succeed(t, os.WriteFile(noted, []byte(text), 0o666))
	}

	want := testkit.Must(os.ReadFile(noted))
	old := strings.Split(string(want), "\n")
	changed := slices.DeleteFunc(lines, func(line string) bool { return slices.Contains(old, line) })
	if string(want) != text {
		t.Errorf(`The code that decides what a sample is has changed:
    %s
If samples mean something else now, so that old and new times can't be compared:
raise Version in tuner/worker/wire.go and describe it there. Otherwise leave it.
In both cases, then note the new digests:
    go test ./tuner/worker -run TestVersion -regen`, strings.Join(changed, "\n    "))
	}
}

// Comments and layout are not code.
var (
	comment = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	blanks  = regexp.MustCompile(`\s+`)
)

// digest returns the digest of a source's code, without comments, layout and, in Go, the
// package and its imports.
func digest(t *testing.T, path string) string {
	t.Helper()
	source := testkit.Must(os.ReadFile(path))

	code := blanks.ReplaceAllString(comment.ReplaceAllString(string(source), ""), " ")
	if filepath.Ext(path) == ".go" {
		files := token.NewFileSet()
		file := testkit.Must(parser.ParseFile(files, path, source, parser.ImportsOnly))
		end := file.Name.End()
		if n := len(file.Decls); n > 0 {
			end = file.Decls[n-1].End()
		}
		code = gosource.Code(source[files.Position(end).Offset:])
	}
	return fmt.Sprintf("%.12x", sha256.Sum256([]byte(code)))
}
