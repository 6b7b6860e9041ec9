package cpu

// A kernel's digest is one of Go source: two versions of a source are equal if their tokens are, so that comments
// and layout do not count. This knows names, not types: a declaration uses what its package, or an imported one,
// declares by the names that occur in it, and all methods so named.

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// A sourcePackage is the source of a package: the files in the root of Files, without its tests.
type sourcePackage struct {
	Path  string // by which others import it
	Files fs.FS
}

// A program has the declarations of some packages.
type program struct {
	main     string           // the path of the first package
	declared map[name][]piece // functions, methods, types, variables and constants
}

// A name is what a package declares; that of a method has the package "".
type name struct{ pkg, text string }

// A piece is a part of a source with the names that occur in it.
type piece struct {
	code string
	uses []name
}

// parseSource reads packages. The first one is that of functions.
func parseSource(packages ...sourcePackage) (*program, error) {
	p := &program{packages[0].Path, map[name][]piece{}}
	for _, pkg := range packages {
		files, err := fs.Glob(pkg.Files, "*.go")
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := fs.ReadFile(pkg.Files, file)
			if err == nil {
				err = p.add(pkg.Path, text)
			}
			if err != nil {
				return nil, fmt.Errorf("reading Go source: %w", err)
			}
		}
	}
	return p, nil
}

// add adds the declarations of a file.
func (p *program) add(path string, text []byte) error {
	s, err := newSource(path, text)
	if err != nil {
		return err
	}
	for _, d := range s.file.Decls {
		for _, n := range names(d, s) {
			p.declared[n] = append(p.declared[n], s.cut(d))
		}
	}
	return nil
}

// names returns the names that d declares.
func names(d ast.Decl, s *source) []name {
	if f, ok := d.(*ast.FuncDecl); ok {
		if f.Recv != nil {
			return []name{{"", f.Name.Name}}
		}
		return []name{{s.path, f.Name.Name}}
	}
	var names []name
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

// functions returns the code of functions of the first package, and of all that they use.
func (p *program) functions(functions ...string) string {
	var uses []name
	for _, f := range functions {
		uses = append(uses, name{p.main, f})
	}
	return p.used(uses)
}

// used returns the code of names, and of all that it uses.
func (p *program) used(todo []name) string {
	var code []string
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
			code = append(code, d.code)
		}
	}
	slices.Sort(code)
	return strings.Join(slices.Compact(code), "\n") // a group of constants has several names
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
	file    *ast.File
	imports map[string]string // paths by the names that the file has for them
}

func newSource(path string, text []byte) (*source, error) {
	// A file has a set of its own, so that its positions are offsets from 1.
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	s := &source{path, text, file, map[string]string{}}
	for _, i := range file.Imports {
		from, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return nil, err
		}
		as := from[strings.LastIndexByte(from, '/')+1:]
		if i.Name != nil {
			as = i.Name.Name
		}
		s.imports[as] = from
	}
	return s, nil
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
