package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A pkg is a package as go list tells it.
type pkg struct {
	ImportPath, Dir                    string
	GoFiles, CgoFiles, EmbedFiles      []string
	Imports, TestImports, XTestImports []string
	TestGoFiles, XTestGoFiles          []string
	Module                             struct{ Path, Dir string }
}

// A module has the packages of the module around the working folder.
type module struct {
	path     string
	packages []*pkg
}

func readModule() (*module, error) {
	packages, err := list("./...")
	if err != nil {
		return nil, err
	}
	return &module{packages[0].Module.Path, packages}, nil
}

// match returns the packages that patterns of go list name.
func (m *module) match(patterns []string) ([]*pkg, error) { return list(patterns...) }

func list(patterns ...string) ([]*pkg, error) {
	command := exec.Command("go", append([]string{"list", "-json"}, patterns...)...)
	command.Stderr = os.Stderr
	text, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("listing packages: %w", err)
	}
	var packages []*pkg
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("listing packages: %w", err)
		}
		packages = append(packages, &p)
	}
}

// importers returns the packages with tests that import p, in their code or in their tests.
func (m *module) importers(p *pkg) []*pkg {
	return slices.DeleteFunc(slices.Clone(m.packages), func(q *pkg) bool {
		imports := slices.Concat(q.Imports, q.TestImports, q.XTestImports)
		return q.ImportPath == p.ImportPath || !slices.Contains(imports, p.ImportPath) ||
			len(q.TestGoFiles)+len(q.XTestGoFiles) == 0
	})
}

// mutants returns those of all files of a package that are written by hand.
func (p *pkg) mutants() (all []mutant, err error) {
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
		_, mutants, err := p.mutantsOf(name)
		if err != nil {
			return nil, err
		}
		all = append(all, mutants...)
	}

	later := "" // migrations
	for _, name := range slices.Backward(p.EmbedFiles) {
		if !strings.HasSuffix(name, ".sql") {
			continue
		}
		text, mutants, err := p.mutantsOf(name)
		if err != nil {
			return nil, err
		}
		all = append(all, slices.DeleteFunc(mutants, func(m mutant) bool { return replaced(text, m.start, later) })...)
		later += text
	}
	return all, nil
}

func (p *pkg) mutantsOf(name string) (text string, mutants []mutant, err error) {
	path := filepath.Join(p.Dir, name)
	source, err := os.ReadFile(path)
	if err != nil {
		return "", nil, err
	}
	short, err := filepath.Rel(p.Module.Dir, path)
	if err != nil {
		return "", nil, err
	}
	mutants, err = find(filepath.ToSlash(short), source)
	return string(source), mutants, err
}
