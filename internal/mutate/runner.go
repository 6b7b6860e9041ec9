package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"
)

// A state says what became of a mutant.
type state string

const (
	// stillborn mutants do not compile.
	stillborn state = "stillborn"
	killed    state = "killed"
	// outOfTime is killed, too: its tests took three times as long as those of the original, and half a minute.
	outOfTime state = "timeout"
	survived  state = "survived"
)

// An outcome says what became of a mutant, and by which test.
type outcome struct {
	state state
	by    string
}

// A runner runs tests on mutants, one at a time.
type runner struct {
	module *module
	// limit is how long the tests of a package that imports the mutant's may take.
	limit time.Duration
	// folder holds the mutant, and what its tests leave behind.
	folder string
	// took is how long the tests of each package take on the original.
	took map[string]time.Duration
}

func newRunner(m *module, limit time.Duration) (*runner, error) {
	folder, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return nil, err
	}
	err = os.Chmod(folder, 0o755) // some tests take the part of another user
	return &runner{m, limit, folder, map[string]time.Duration{}}, err
}

func (r *runner) close() { os.RemoveAll(r.folder) }

// try runs the tests of a mutant's package, and if it survives, those of the packages that
// import it.
func (r *runner) try(p *pkg, m mutant) (outcome, error) {
	path := filepath.Join(p.Module.Dir, m.file)
	source, err := os.ReadFile(path)
	if err != nil {
		return outcome{}, err
	}
	changed := filepath.Join(r.folder, filepath.Base(m.file))
	if err := os.WriteFile(changed, m.apply(source), 0o666); err != nil {
		return outcome{}, err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{path: changed}})
	if err != nil {
		return outcome{}, err
	}
	if err := os.WriteFile(r.overlay(), overlay, 0o666); err != nil {
		return outcome{}, err
	}

	o, err := r.test(p)
	if err != nil || o.state != survived || r.limit == 0 {
		return o, err
	}
	for _, q := range r.module.importers(p) {
		took, err := r.original(q)
		if err != nil {
			return outcome{}, err
		}
		if took > r.limit {
			continue
		}
		if o, err := r.test(q); err != nil || o.state == killed || o.state == outOfTime {
			return o, err
		}
	}
	return o, nil
}

func (r *runner) overlay() string { return filepath.Join(r.folder, "overlay.json") }

// test runs the tests of a package on the mutant.
func (r *runner) test(p *pkg) (outcome, error) {
	took, err := r.original(p)
	if err != nil {
		return outcome{}, err
	}
	text, err := r.run(p, 30*time.Second+3*took, "-overlay="+r.overlay())
	if err == nil {
		return outcome{state: survived}, nil
	}

	by := p.ImportPath
	if test := failed.FindSubmatch(text); test != nil {
		by += "." + string(test[1])
	}
	switch {
	case broken.Match(text):
		return outcome{state: stillborn}, nil
	case ranOut.Match(text):
		return outcome{outOfTime, by}, nil
	}
	return outcome{killed, by}, nil
}

var (
	failed = regexp.MustCompile(`--- FAIL: (\S+)`)
	broken = regexp.MustCompile(`(?m)^FAIL\s.*\[(build|setup) failed\]`)
	ranOut = regexp.MustCompile(`panic: test timed out`)
)

// original returns how long the tests of a package take on the original.
func (r *runner) original(p *pkg) (time.Duration, error) {
	if took, ok := r.took[p.ImportPath]; ok {
		return took, nil
	}
	var start time.Time
	for range 2 { // the first run builds
		start = time.Now()
		if text, err := r.run(p, time.Hour); err != nil {
			return 0, fmt.Errorf("testing %s without a mutant: %w\n%s", p.ImportPath, err, text)
		}
	}
	r.took[p.ImportPath] = time.Since(start)
	return r.took[p.ImportPath], nil
}

// run runs the tests of a package with flags for go, which reach the programs that tests
// build, and returns what they print.
func (r *runner) run(p *pkg, timeout time.Duration, flags ...string) ([]byte, error) {
	temporary := filepath.Join(r.folder, "tmp")
	defer os.RemoveAll(temporary)
	if err := os.MkdirAll(temporary, 0o777); err != nil {
		return nil, err
	}
	set := os.Getenv("GOFLAGS")
	for _, f := range flags {
		set += " " + f
	}

	command := exec.Command("go", "test", "-short", "-vet=off", "-ldflags=-w", "-count=1", "-failfast",
		"-timeout", timeout.String(), p.ImportPath)
	command.Env = append(os.Environ(), "GOFLAGS="+set, "TMPDIR="+temporary)
	text, err := command.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return nil, fmt.Errorf("running go test: %w", err)
	}
	return text, err
}
