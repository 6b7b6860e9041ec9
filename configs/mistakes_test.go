// SPDX-License-Identifier: Apache-2.0

package configs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"example.org/spmvtune/internal/testing/testkit"
)

const (
	aMatrix = "[[matrix]]\ngenerate = \"mycielskian\"\norder = 4\n"
	aKernel = "[[kernel]]\nname = \"cpu_csr\"\n"
	// minimal is the shortest sweep without a file beside it.
	minimal = aMatrix + aKernel
)

// sources returns a folder with the files of sweeps that define kernels.
func sources(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"my.c": "#include \"my.h\"\n", "my.cu": "", "my.h": "", "my.txt": ""} {
		testkit.Succeed(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	return dir
}

// All mistakes of a sweep are said, and nothing else; testdata/mistakes.txtar says how to read it.
func TestMistakes(t *testing.T) {
	cases := testkit.Must(txtar.ParseFile("testdata/mistakes.txtar"))
	check := schemaCheck(t)
	t.Chdir(sources(t))
	short := strings.NewReplacer("@minimal\n", minimal, "@matrix\n", aMatrix, "@kernel\n", aKernel)
	for _, c := range cases.Files {
		text := string(c.Data)
		var wanted []string
		for strings.HasPrefix(text, "# ") {
			var line string
			line, text, _ = strings.Cut(text[len("# "):], "\n")
			wanted = append(wanted, line)
		}
		_, err := Parse("s.toml", []byte(short.Replace(text)))
		es, _ := err.(Errors)
		// The schema refuses nothing that is right, and names and types that are wrong whatever else is there.
		plain := regexp.MustCompile(`^(unknown key|no (kernel|generator) is|want (an integer|a string|true)[, ])`)
		refused := check(short.Replace(text))
		if refused != nil && err == nil || refused == nil && slices.ContainsFunc(es, func(e *Error) bool {
			return plain.MatchString(e.Problem)
		}) {
			t.Errorf("%s: the schema says %v", c.Name, refused)
		}
		if len(es) != len(wanted) {
			t.Errorf("%s: got\n%v\nwant %d mistakes", c.Name, err, len(wanted))
			continue
		}
		for i, want := range wanted {
			place, parts, _ := strings.Cut(want, ": ")
			e := es[i]
			if got := fmt.Sprint(e.Line, " ", e.Key); got != place || !strings.HasPrefix(e.Error(), fmt.Sprintf("s.toml:%d: %s: ",
				e.Line, e.Key)) {
				t.Errorf("%s: got %q, want it at %s", c.Name, e, place)
			}
			for part := range strings.SplitSeq(parts, " | ") {
				testkit.Says(t, c.Name, e.Error(), part)
			}
		}
	}
}
