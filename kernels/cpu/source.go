// SPDX-License-Identifier: Apache-2.0

package cpu

// A kernel's digest is one of Go source: two versions of a source are equal if their tokens are, so that comments
// and layout do not count. This knows names, not types: a declaration uses what its package, or an imported one,
// declares by the names that occur in it, and all methods so named.

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"

	"example.org/spmvtune/internal/base/lists"
)

// A sourcePackage is the source of a package: the files in the root of Files, without its tests.
type sourcePackage struct {
	Path  string // by which others import it
	Files fs.FS
}

// A program has the declarations of some packages: functions, methods, types, variables and constants.
type program struct {
	main     string // the path of the first package
	declared map[name][]piece
}

// A name is what a package declares; that of a method has the package "".
type name struct{ pkg, text string }

// A piece is a part of a source with the names that occur in it.
type piece struct {
	code string // its tokens
	text string // as it is written, with its comment
	uses []name
}

// parseSource reads packages. The first one is that of functions.
func parseSource(packages ...sourcePackage) (*program, error) {
	p := &program{packages[0].Path, map[name][]piece{}}
	for _, pkg := range packages {
		files, err := fs.Glob(pkg.Files, "*.go")
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				err = errors.Join(err, p.add(pkg, file))
			}
		}
		if err != nil {
			return nil, fmt.Errorf("reading Go source: %w", err)
		}
	}
	return p, nil
}

// add adds the declarations of a file.
func (p *program) add(pkg sourcePackage, file string) error {
	text, err := fs.ReadFile(pkg.Files, file)
	if err != nil {
		return err
	}
	// A file has a set of its own, so that its positions are offsets from 1.
	tree, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return err
	}
	s := source{pkg.Path, text, map[string]string{}}
	for _, i := range tree.Imports {
		from := strings.Trim(i.Path.Value, `"`)
		s.imports[path.Base(from)] = from
		if i.Name != nil {
			s.imports[i.Name.Name] = from
		}
	}
	for _, d := range tree.Decls {
		part, begin := s.cut(d), d.Pos()
		for _, c := range tree.Comments {
			if c.End()+1 == d.Pos() { // the comment ends in the line above
				begin = c.Pos()
			}
		}
		part.text = fmt.Sprintf("// In %s:\n%s\n\n", pkg.Path, text[begin-1:d.End()-1])
		for _, n := range s.names(d) {
			p.declared[n] = append(p.declared[n], part)
		}
	}
	return nil
}

// functions returns the code of functions of the first package, and of all that they use.
func (p *program) functions(functions ...string) string {
	all := p.used(lists.Of(functions, func(f string) name { return name{p.main, f} }))
	code := lists.Of(all, func(d piece) string { return d.code })
	slices.Sort(code)
	return strings.Join(slices.Compact(code), "\n") // a group of constants has several names
}

// used returns the pieces that declare names, and what these use.
func (p *program) used(todo []name) (all []piece) {
	seen := map[name]bool{}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		for _, d := range p.declared[n] {
			todo = append(todo, d.uses...)
			all = append(all, d)
		}
	}
	return all
}

// Tokens returns the tokens of Go source, without comments and what only layout asks for:
// semicolons, and commas before a closing bracket.
func Tokens(source []byte) string {
	var code strings.Builder
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(source)), source, nil, 0)

	comma := false // is to be written
	for {
		_, tok, text := s.Scan()
		if tok == token.EOF {
			return code.String()
		}
		if tok == token.SEMICOLON {
			continue
		}
		if comma && tok != token.RPAREN && tok != token.RBRACE && tok != token.RBRACK {
			code.WriteString(", ")
		}
		if comma = tok == token.COMMA; !comma {
			code.WriteString(cmp.Or(text, tok.String()) + " ")
		}
	}
}

// A source is a file of a package.
type source struct {
	path    string
	text    []byte
	imports map[string]string // paths by the names that the file has for them
}

// names returns the names that d declares.
func (s *source) names(d ast.Decl) (names []name) {
	if f, ok := d.(*ast.FuncDecl); ok {
		if f.Recv != nil {
			return []name{{"", f.Name.Name}}
		}
		return []name{{s.path, f.Name.Name}}
	}
	for _, spec := range d.(*ast.GenDecl).Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			names = append(names, name{s.path, spec.Name.Name})
		case *ast.ValueSpec:
			for _, n := range spec.Names {
				names = append(names, name{s.path, n.Name})
			}
		}
	}
	return names
}

// cut returns the code of a part of the source.
func (s *source) cut(n ast.Node) piece {
	c := piece{code: Tokens(s.text[n.Pos()-1 : n.End()-1])}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && s.imports[x.Name] != "" {
				c.uses = append(c.uses, name{s.imports[x.Name], n.Sel.Name})
				return false
			}
			c.uses = append(c.uses, append(s.cut(n.X).uses, name{"", n.Sel.Name})...)
			return false
		case *ast.Ident:
			c.uses = append(c.uses, name{s.path, n.Name})
		}
		return true
	})
	return c
}
