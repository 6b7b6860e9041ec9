package kernels

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Precision is the type of the values of A, x and y in a product.
type Precision string

const (
	Float32 Precision = "float32"
	Float64 Precision = "float64"
)

// Bytes is the size of one value.
func (p Precision) Bytes() int {
	if p == Float32 {
		return 4
	}
	return 8
}

// Roundoff is the unit roundoff u: 2⁻²⁴ or 2⁻⁵³.
func (p Precision) Roundoff() float64 {
	if p == Float32 {
		return 0x1p-24
	}
	return 0x1p-53
}

// Params are the settings of a kernel beyond block and grid, by name:
// {"unroll": "4"}. A kernel's entry in the catalogue says which it has.
type Params map[string]string

// String gives p in its canonical form, sorted by name: "tile=1024 unroll=4".
func (p Params) String() string {
	var b strings.Builder
	for i, name := range slices.Sorted(maps.Keys(p)) {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(name + "=" + p[name])
	}
	return b.String()
}

// ParseParams reads what String has written.
func ParseParams(s string) (Params, error) {
	if s == "" {
		return nil, nil
	}
	p := make(Params)
	for _, field := range strings.Fields(s) {
		name, value, ok := strings.Cut(field, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("parameters %q are not of the form name=value", s)
		}
		p[name] = value
	}
	return p, nil
}

// Int returns the setting as a number, and def where it is not set or not one.
func (p Params) Int(name string, def int) int {
	if n, err := strconv.Atoi(p[name]); err == nil {
		return n
	}
	return def
}

// A Config is one point of the search space: a kernel and everything that is
// chosen for it. Block and Grid are 0 where the kernel has no such choice; what
// they mean is said by the kernel's entry in the catalogue.
type Config struct {
	Kernel    string    `json:"kernel"`
	Precision Precision `json:"precision"`
	Block     int       `json:"block"`
	Grid      int       `json:"grid"`
	Params    Params    `json:"params,omitempty"`
}

// String gives c as users read it: "cpu_sell float32 block 8 grid 2".
func (c Config) String() string {
	s := c.Kernel + " " + string(c.Precision)
	if c.Block > 0 {
		s += fmt.Sprintf(" block %d", c.Block)
	}
	if c.Grid > 0 {
		s += fmt.Sprintf(" grid %d", c.Grid)
	}
	if len(c.Params) > 0 {
		s += " " + c.Params.String()
	}
	return s
}
