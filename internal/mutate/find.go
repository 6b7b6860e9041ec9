package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
)

// operators has what each operator may turn into: comparisons their other boundary and
// their negation.
var operators = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.ADD: {token.SUB}, token.SUB: {token.ADD},
	token.MUL: {token.QUO}, token.QUO: {token.MUL}, token.REM: {token.MUL},
	token.SHL: {token.SHR}, token.SHR: {token.SHL},
	token.AND: {token.OR}, token.OR: {token.AND}, token.AND_NOT: {token.AND},
	token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD_ASSIGN: {token.SUB_ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN},
	token.MUL_ASSIGN: {token.QUO_ASSIGN}, token.QUO_ASSIGN: {token.MUL_ASSIGN},
	token.OR_ASSIGN: {token.AND_ASSIGN}, token.AND_ASSIGN: {token.OR_ASSIGN},
	token.INC: {token.DEC}, token.DEC: {token.INC},
	token.BREAK: {token.CONTINUE}, token.CONTINUE: {token.BREAK},
}

// names has the identifiers that may turn into another.
var names = map[string]string{
	"true": "false", "false": "true", "min": "max", "max": "min",
	"Min": "Max", "Max": "Min", "Floor": "Ceil", "Ceil": "Floor",
}

// walk notes the mutants of a node and those below.
func (f *finder) walk(root ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil || f.skipped[n] {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncDecl:
			return n.Body != nil && f.function(n.Type, n.Body)
		case *ast.FuncLit:
			return f.function(n.Type, n.Body)
		case *ast.BinaryExpr:
			f.operator(n.OpPos, n.Op)
		case *ast.UnaryExpr:
			if n.Op == token.NOT || n.Op == token.SUB {
				f.add(n.OpPos, n.X.Pos(), "")
			}
		case *ast.IncDecStmt:
			f.operator(n.TokPos, n.Tok)
		case *ast.AssignStmt:
			f.operator(n.TokPos, n.Tok)
		case *ast.BranchStmt:
			f.operator(n.TokPos, n.Tok)
		case *ast.BasicLit:
			f.literal(n)
		case *ast.Ident:
			if other, ok := names[n.Name]; ok {
				f.add(n.Pos(), n.End(), other)
			}
		case *ast.IfStmt:
			if _, ok := n.Cond.(*ast.BinaryExpr); !ok {
				f.wrap(n.Cond, "!(", ")")
			}
		case *ast.CallExpr:
			switch f.code(n.Fun) {
			case "make":
				if len(n.Args) == 3 { // the capacity
					f.skipped[n.Args[2]] = true
				}
			case "math.Inf": // of whose argument only the sign counts
				number := n.Args[0]
				if minus, ok := number.(*ast.UnaryExpr); ok {
					number = minus.X
				}
				f.skipped[number] = true
			}
		case *ast.BlockStmt:
			f.statements(n.List)
		case *ast.CaseClause:
			f.statements(n.Body)
		case *ast.CommClause:
			f.statements(n.Body)
		case *ast.ReturnStmt:
			f.result(n)
		}
		return true
	})
}

// function walks through a body, whose results are known there.
func (f *finder) function(t *ast.FuncType, body *ast.BlockStmt) bool {
	f.results = append(f.results, t.Results)
	f.walk(body)
	f.results = f.results[:len(f.results)-1]
	return false
}

func (f *finder) operator(at token.Pos, t token.Token) {
	for _, other := range operators[t] {
		f.add(at, at+token.Pos(len(t.String())), other.String())
	}
}

// literal changes whole numbers by one, doubles others, and changes words of SQL.
func (f *finder) literal(n *ast.BasicLit) {
	switch n.Kind {
	case token.INT:
		if i, err := strconv.ParseInt(n.Value, 0, 64); err == nil {
			f.add(n.Pos(), n.End(), fmt.Sprint(i+1))
			if i > 0 {
				f.add(n.Pos(), n.End(), fmt.Sprint(i-1))
			}
		}
	case token.FLOAT:
		if x, err := strconv.ParseFloat(n.Value, 64); err == nil && x != 0 {
			f.add(n.Pos(), n.End(), fmt.Sprint(2*x))
		}
	case token.STRING:
		f.sql(f.set.Position(n.Pos()).Offset, n.Value)
	}
}

// statements leaves each statement out. What it uses stays used, so that it compiles.
func (f *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE {
				f.wrap(s, "if false { ", " }")
			}
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.SendStmt, *ast.GoStmt, *ast.DeferStmt, *ast.BranchStmt:
			f.wrap(s, "if false { ", " }")
		}
	}
}

// result returns the zero value in place of each result that is not one.
func (f *finder) result(n *ast.ReturnStmt) {
	var types []ast.Expr
	if fields := f.results[len(f.results)-1]; fields != nil {
		for _, field := range fields.List {
			for range max(1, len(field.Names)) {
				types = append(types, field.Type)
			}
		}
	}
	if len(types) != len(n.Results) {
		return
	}

	for i, r := range n.Results {
		switch f.code(r) {
		case "nil", "0", `""`, "true", "false":
			continue
		}
		if literal, ok := r.(*ast.CompositeLit); ok && len(literal.Elts) == 0 {
			continue
		}
		text := "if true { return "
		for j, other := range n.Results {
			if j > 0 {
				text += ", "
			}
			if j == i {
				text += "*new(" + f.code(types[i]) + ")"
			} else {
				text += f.code(other)
			}
		}
		f.wrap(n, text+" }; ", "")
	}
}
