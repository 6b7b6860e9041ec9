package store

import (
	"math"

	"github.com/mattn/go-sqlite3"
)

// functions are SQLite's own mathematical functions that a geometric mean or a deviation needs. The
// driver is compiled without them; the program sqlite3 has them.
var functions = map[string]func(float64) float64{"ln": math.Log, "exp": math.Exp, "sqrt": math.Sqrt}

// addFunctions makes the functions known to queries of a connection. As in SQLite, what is no number,
// and what has no value, is null.
func addFunctions(c *sqlite3.SQLiteConn) error {
	for name, f := range functions {
		err := c.RegisterFunc(name, func(v any) any {
			var x float64
			switch v := v.(type) {
			case int64:
				x = float64(v)
			case float64:
				x = v
			default:
				return nil
			}
			if y := f(x); !math.IsNaN(y) && !math.IsInf(y, -1) {
				return y
			}
			return nil
		}, true)
		if err != nil {
			return err
		}
	}
	return nil
}
