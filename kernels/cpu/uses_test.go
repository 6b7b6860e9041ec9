// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A use says that a file uses a name that another declares. Files are relative to the module.
type use struct{ From, To, Name string }

// usesBetween returns the uses of all packages of a module, whose folder is root, by the files of
// some of its packages.
func usesBetween(root string, packages []string) ([]use, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	l := lister{root: root, export: map[string]string{}}
	if err := l.list(packages); err != nil {
		return nil, err
	}

	files := token.NewFileSet()
	config := types.Config{Importer: importer.ForCompiler(files, "gc", l.open)}
	seen := map[use]bool{}
	for _, path := range packages {
		var syntax []*ast.File
		for _, name := range l.files[path] {
			file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			syntax = append(syntax, file)
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		if _, err := config.Check(path, files, syntax, info); err != nil {
			return nil, fmt.Errorf("checking %s: %w", path, err)
		}
		for name, object := range info.Uses {
			from, to := files.Position(name.Pos()).Filename, files.Position(object.Pos()).Filename
			if to, ok := strings.CutPrefix(to, root+"/"); ok && declared(object) {
				seen[use{strings.TrimPrefix(from, root+"/"), to, object.Name()}] = true
			}
		}
	}
	var found []use
	for u := range seen {
		found = append(found, u)
	}
	slices.SortFunc(found, func(a, b use) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return found, nil
}

// declared reports whether an object is a function, a method, or on the level of its package.
func declared(o types.Object) bool {
	_, function := o.(*types.Func)
	return function || o.Pkg() != nil && o.Parent() == o.Pkg().Scope()
}

// A lister knows where the files of packages are.
type lister struct {
	root   string
	export map[string]string   // of each package the file with its types
	files  map[string][]string // of each package its sources
}

// list asks the go command for packages and all that they import.
func (l *lister) list(packages []string) error {
	list := exec.Command("go", append([]string{"list", "-export", "-deps",
		"-f", "{{.ImportPath}}\t{{.Export}}\t{{.Dir}}\t{{range .GoFiles}}{{.}} {{end}}"}, packages...)...)
	list.Dir = l.root
	var complaint bytes.Buffer
	list.Stderr = &complaint
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("listing packages: %w: %s", err, &complaint)
	}
	l.files = map[string][]string{}
	for line := range strings.Lines(string(out)) {
		field := strings.Split(strings.TrimRight(line, "\n"), "\t")
		l.export[field[0]] = field[1]
		for name := range strings.FieldsSeq(field[3]) {
			l.files[field[0]] = append(l.files[field[0]], filepath.Join(field[2], name))
		}
	}
	return nil
}

func (l *lister) open(path string) (io.ReadCloser, error) { return os.Open(l.export[path]) }
