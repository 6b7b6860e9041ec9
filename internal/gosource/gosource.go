// Package gosource reads Go source for digests: two versions of a source are equal if their
// tokens are, so that comments and layout do not count. It knows names, not types: a
// declaration uses all declarations whose names occur in it, and all methods so named.
package gosource

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// Code returns the tokens of Go source, without comments and what only layout asks for:
// semicolons, and commas before a closing bracket.
func Code(source []byte) string {
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

// A Program has the declarations of a package's files.
type Program struct {
	declared map[string][]piece          // by the name of a function, method, type, variable or constant
	rows     map[string]map[string]piece // by variable and key: what stands in a literal map
}

// A piece is a part of a source with the names that occur in it.
type piece struct {
	code string
	uses []string
}

// Parse reads the files of a package.
func Parse(files ...[]byte) (*Program, error) {
	p := &Program{map[string][]piece{}, map[string]map[string]piece{}}
	for _, source := range files {
		file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("parsing Go source: %w", err)
		}
		for _, d := range file.Decls {
			for _, name := range p.names(d, source) {
				p.declared[name] = append(p.declared[name], cut(d, source))
			}
		}
	}
	return p, nil
}

// names returns the names that d declares, and notes the rows of literal maps.
func (p *Program) names(d ast.Decl, source []byte) []string {
	if f, ok := d.(*ast.FuncDecl); ok {
		return []string{f.Name.Name}
	}
	var names []string
	for _, spec := range d.(*ast.GenDecl).Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			names = append(names, spec.Name.Name)
		case *ast.ValueSpec:
			for i, name := range spec.Names {
				if i < len(spec.Values) && p.note(name.Name, spec.Values[i], source) {
					continue
				}
				names = append(names, name.Name)
			}
		}
	}
	return names
}

// note notes the rows of a literal map with text for keys, and reports whether it is one.
func (p *Program) note(variable string, value ast.Expr, source []byte) bool {
	literal, ok := value.(*ast.CompositeLit)
	if !ok {
		return false
	}
	rows := map[string]piece{}
	for _, e := range literal.Elts {
		row, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return false
		}
		key, ok := row.Key.(*ast.BasicLit)
		if !ok || key.Kind != token.STRING {
			return false
		}
		rows[strings.Trim(key.Value, "\"`")] = cut(row, source)
	}
	p.rows[variable] = rows
	return len(rows) > 0
}

func cut(n ast.Node, source []byte) piece {
	// A file has a set of its own, so that its positions are offsets from 1.
	c := piece{code: Code(source[n.Pos()-1 : n.End()-1])}
	ast.Inspect(n, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok {
			c.uses = append(c.uses, name.Name)
		}
		return true
	})
	return c
}

// Row returns the code of a row of the literal map that a variable is set to, and of every
// declaration that it uses, directly or through another, in the order of their names. It
// is "" if there is no such row.
func (p *Program) Row(variable, key string) string {
	row, ok := p.rows[variable][key]
	if !ok {
		return ""
	}
	used := map[string]bool{}
	for todo := row.uses; len(todo) > 0; {
		name := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if used[name] || p.declared[name] == nil {
			continue
		}
		used[name] = true
		for _, d := range p.declared[name] {
			todo = append(todo, d.uses...)
		}
	}

	code := []string{row.code}
	for name := range used {
		for _, d := range p.declared[name] {
			code = append(code, d.code)
		}
	}
	slices.Sort(code[1:])
	return strings.Join(slices.Compact(code), "\n") // a group of constants has several names
}
