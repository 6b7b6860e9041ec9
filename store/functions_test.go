package store

import (
	"math"
	"testing"
)

// A query may take a geometric mean.
func TestFunctions(t *testing.T) {
	db := create(t)
	if got := one(t, db, "SELECT exp(avg(ln(x))) FROM (SELECT 2 AS x UNION ALL SELECT 8.0)"); math.Abs(got.(float64)-4) > 1e-12 {
		t.Errorf("the geometric mean of 2 and 8 is %v", got)
	}
	if got := one(t, db, "SELECT sqrt(9)"); got != 3.0 {
		t.Errorf("the root of 9 is %v", got)
	}
	for _, sql := range []string{"SELECT ln(0)", "SELECT ln(NULL)", "SELECT sqrt(-1)", "SELECT exp('two')"} {
		if got := one(t, db, sql); got != nil {
			t.Errorf("%s is %v, not null", sql, got)
		}
	}
}
