package custom

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"slices"
	"strings"
)

// longest bounds the text of an expression, and with it its depth.
const longest = 1000

// Value evaluates an expression over variables: integers with + - * / % and parentheses, min and
// max. Division cuts off. The value is at least 0 and fits in 32 bits.
func Value(expression string, variables map[string]int) (int, error) {
	if len(expression) > longest {
		return 0, fmt.Errorf("the expression is longer than %d characters", longest)
	}
	tree, err := parser.ParseExpr(expression)
	if err != nil {
		return 0, errors.New("it is not an integer expression, as in \"(rows + block - 1) / block\"")
	}
	v, err := value(tree, variables)
	if err != nil {
		return 0, err
	}
	n, exact := constant.Int64Val(v)
	if !exact || n < 0 || n > math.MaxInt32 {
		return 0, fmt.Errorf("%s is %s, which is not from 0 to %d", expression, v, math.MaxInt32)
	}
	return int(n), nil
}

var operators = map[token.Token]token.Token{
	token.ADD: token.ADD, token.SUB: token.SUB, token.MUL: token.MUL,
	token.QUO: token.QUO_ASSIGN, token.REM: token.REM, // QUO_ASSIGN forces integers
}

func value(node ast.Expr, variables map[string]int) (constant.Value, error) {
	switch n := node.(type) {
	case *ast.ParenExpr:
		return value(n.X, variables)
	case *ast.BasicLit:
		if n.Kind == token.INT {
			return bounded(constant.MakeFromLiteral(n.Value, token.INT, 0))
		}
	case *ast.Ident:
		v, known := variables[n.Name]
		if !known {
			return nil, fmt.Errorf("unknown variable %q: there are %s", n.Name,
				strings.Join(slices.Sorted(maps.Keys(variables)), ", "))
		}
		return constant.MakeInt64(int64(v)), nil
	case *ast.BinaryExpr:
		if op, known := operators[n.Op]; known {
			return binary(n, op, variables)
		}
	case *ast.CallExpr:
		return extreme(n, variables)
	}
	return nil, errors.New("only integers, variables, + - * / % ( ), min and max are possible")
}

func binary(n *ast.BinaryExpr, op token.Token, variables map[string]int) (constant.Value, error) {
	x, err := value(n.X, variables)
	if err != nil {
		return nil, err
	}
	y, err := value(n.Y, variables)
	if err != nil {
		return nil, err
	}
	if (n.Op == token.QUO || n.Op == token.REM) && constant.Sign(y) == 0 {
		return nil, errors.New("it divides by zero")
	}
	return bounded(constant.BinaryOp(x, op, y))
}

// extreme is min(…) or max(…).
func extreme(n *ast.CallExpr, variables map[string]int) (constant.Value, error) {
	name, _ := n.Fun.(*ast.Ident)
	if name == nil || name.Name != "min" && name.Name != "max" || len(n.Args) == 0 {
		return nil, errors.New("the only functions are min and max")
	}
	op := map[string]token.Token{"min": token.LSS, "max": token.GTR}[name.Name]
	var best constant.Value
	for _, arg := range n.Args {
		v, err := value(arg, variables)
		if err != nil {
			return nil, err
		}
		if best == nil || constant.Compare(v, op, best) {
			best = v
		}
	}
	return best, nil
}

// bounded keeps numbers from growing without end.
func bounded(v constant.Value) (constant.Value, error) {
	if constant.BitLen(v) > 62 {
		return nil, errors.New("its numbers grow beyond 62 bits")
	}
	return v, nil
}
