package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"spmvtune/internal/testing/testkit"
)

// The help has every variable that the code reads, and no others of this program.
func TestEnvironmentIsExplained(t *testing.T) {
	internal := []string{ // of tests, and between processes of this program
		"SPMVTUNE_LONG", "SPMVTUNE_SCREENS", "SPMVTUNE_TEST_GPUS", "SPMVTUNE_PERF_CONTROL", "SPMVTUNE_GPU_WORKER",
		"PATH", "GOFLAGS", "SOURCE_DATE_EPOCH", // of tools
	}
	var explained []string
	for _, v := range environment {
		explained = append(explained, strings.Split(v.name, ", ")...)
	}
	known := func(name string) bool {
		for _, e := range append(explained, internal...) {
			if prefix, all := strings.CutSuffix(e, "*"); name == e || all && strings.HasPrefix(name, prefix) {
				return true
			}
		}
		return false
	}

	ours, read := regexp.MustCompile(`"(SPMVTUNE_[A-Z_]+)"`), regexp.MustCompile(`(?:Getenv|LookupEnv)\("([A-Z_]+)"\)`)
	found := map[string]bool{}
	testkit.Succeed(t, filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, names := range append(ours.FindAllStringSubmatch(string(text), -1),
			read.FindAllStringSubmatch(string(text), -1)...) {
			if found[names[1]] = true; !known(names[1]) {
				t.Errorf("%s reads %s, which help environment does not explain", path, names[1])
			}
		}
		return err
	}))
	for _, name := range explained {
		if strings.HasPrefix(name, "SPMVTUNE_") && !found[name] {
			t.Errorf("help environment explains %s, which nothing reads", name)
		}
	}
}
