package main

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// A mutant is a change of one place in a file.
type mutant struct {
	// file is the path from the root of the module.
	file string
	line int
	// start and end are offsets of what text replaces.
	start, end int
	text       string
	// old and new are the line in which the change begins, before and after it.
	old, new string
}

// apply returns the source with the change.
func (m mutant) apply(source []byte) []byte {
	return slices.Concat(source[:m.start], []byte(m.text), source[m.end:])
}

// A finder collects the mutants of a file.
type finder struct {
	file    string
	source  []byte
	set     *token.FileSet
	mutants []mutant
	// results are those of the functions around the node that is looked at.
	results []*ast.FieldList
	// skipped are nodes whose change nobody can observe.
	skipped map[ast.Node]bool
}

// find returns the mutants of a file of Go or SQL, in the order of their places.
func find(file string, source []byte) ([]mutant, error) {
	f := finder{file: file, source: source, set: token.NewFileSet(), skipped: map[ast.Node]bool{}}
	if strings.HasSuffix(file, ".sql") {
		f.sql(0, string(source))
		return f.mutants, nil
	}

	tree, err := parser.ParseFile(f.set, file, source, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil || ast.IsGenerated(tree) {
		return nil, err
	}
	for _, d := range tree.Decls {
		f.walk(d)
	}

	slices.SortStableFunc(f.mutants, func(a, b mutant) int { return cmp.Compare(a.start, b.start) })
	return f.mutants, nil
}

// add notes that the text from one place to another may be replaced.
func (f *finder) add(from, to token.Pos, text string) {
	f.addAt(f.set.Position(from).Offset, f.set.Position(to).Offset, text)
}

func (f *finder) addAt(start, end int, text string) {
	m := mutant{file: f.file, start: start, end: end, text: text}
	m.line = 1 + bytes.Count(f.source[:start], []byte("\n"))
	m.old = lineAt(f.source, start)
	m.new = lineAt(m.apply(f.source), start)
	f.mutants = append(f.mutants, m)
}

// wrap notes that text may stand before and after a node.
func (f *finder) wrap(n ast.Node, before, after string) {
	f.add(n.Pos(), n.End(), before+f.code(n)+after)
}

func (f *finder) code(n ast.Node) string {
	return string(f.source[f.set.Position(n.Pos()).Offset:f.set.Position(n.End()).Offset])
}

// lineAt returns the line around an offset, without the space at its ends.
func lineAt(source []byte, offset int) string {
	line := source[bytes.LastIndexByte(source[:offset], '\n')+1:]
	line, _, _ = bytes.Cut(line, []byte("\n"))
	return strings.TrimSpace(string(line))
}
