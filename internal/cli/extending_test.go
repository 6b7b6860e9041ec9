package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"spmvtune/internal/testing/testkit"
	"spmvtune/sparse/cache"
)

// The commands of docs/extending.md lead from nothing to a report that has the kernel.
func TestExtending(t *testing.T) {
	testkit.Long(t, "it measures a sweep")
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip(err)
	}
	text := testkit.Must(os.ReadFile("../../docs/extending.md"))
	var script strings.Builder
	for line := range strings.Lines(string(text)) {
		if command, ok := strings.CutPrefix(line, "    spmvtune "); ok {
			script.WriteString("exec spmvtune " + command)
		}
	}
	if n := strings.Count(script.String(), "\n"); n != 3 {
		t.Fatalf("docs/extending.md has %d commands", n)
	}
	script.WriteString("stdout mine\ngrep 'mine.c' spmvtune-out/mine/report.html\n")
	file := filepath.Join(t.TempDir(), "extending.txtar")
	testkit.Succeed(t, os.WriteFile(file, []byte(script.String()), 0o666))
	testscript.Run(t, testscript.Params{Files: []string{file}, Setup: func(env *testscript.Env) error {
		env.Setenv(cache.Env, filepath.Join(env.Cd, ".cache"))
		return nil
	}})
}
