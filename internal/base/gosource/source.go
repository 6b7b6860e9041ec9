package gosource

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

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
	c := piece{code: Code(s.text[n.Pos()-1 : n.End()-1])}
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
