// SPDX-License-Identifier: Apache-2.0

package custom

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"math"
	"slices"
	"strings"
)

// longest bounds the text of an expression, and with it its depth.
const longest = 1000

// Value evaluates an expression over variables: integers with + - * / % and parentheses, min and
// max. Division cuts off. The value is at least 0 and fits in 32 bits. It is a constant expression of Go.
func Value(expression string, variables map[string]int) (int, error) {
	if len(expression) > longest {
		return 0, fmt.Errorf("the expression is longer than %d characters", longest)
	}
	none := errors.New("it is not an integer expression, as in \"(rows + block - 1) / block\"")
	tree, err := parser.ParseExpr(expression)
	if err != nil {
		return 0, none
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		err = cmp.Or(err, check(n, variables))
		return err == nil
	})
	if err != nil {
		return 0, err
	}

	scope := types.NewPackage("", "")
	for name, v := range variables {
		scope.Scope().Insert(types.NewConst(token.NoPos, scope, name, types.Typ[types.UntypedInt],
			constant.MakeInt64(int64(v))))
	}
	v, err := types.Eval(token.NewFileSet(), scope, token.NoPos, expression)
	if said, ok := errors.AsType[types.Error](err); ok {
		return 0, errors.New(said.Msg)
	}
	if v.Value == nil {
		return 0, cmp.Or(err, none)
	}
	n, exact := constant.Int64Val(v.Value)
	if !exact || n < 0 || n > math.MaxInt32 {
		return 0, fmt.Errorf("%s is %s, which is not from 0 to %d", expression, v.Value, math.MaxInt32)
	}
	return int(n), nil
}

// check says what an expression may not have, of all that Go's may.
func check(n ast.Node, variables map[string]int) error {
	switch n := n.(type) {
	case nil, *ast.ParenExpr, *ast.CallExpr:
		return nil
	case *ast.BinaryExpr:
		if slices.Contains([]token.Token{token.ADD, token.SUB, token.MUL, token.QUO, token.REM}, n.Op) {
			return nil
		}
	case *ast.BasicLit:
		if n.Kind == token.INT {
			return nil
		}
	case *ast.Ident:
		if _, known := variables[n.Name]; known || n.Name == "min" || n.Name == "max" {
			return nil
		}
		return fmt.Errorf("unknown variable %q: there are %s", n.Name,
			strings.Join(slices.Sorted(maps.Keys(variables)), ", "))
	}
	return errors.New("only integers, variables, + - * / % ( ), min and max are possible")
}
