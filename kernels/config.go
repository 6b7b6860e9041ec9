package kernels

import "fmt"

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

// A Config is one point of the search space: a kernel and all its settings. Configs are
// comparable: equal ones are the same choice. Block and Grid are 0 if the kernel has no such
// choice; the kernel's entry in the catalogue says what they mean.
type Config struct {
	Kernel    string    `json:"kernel"`
	Precision Precision `json:"precision"`
	Block     int       `json:"block"`
	Grid      int       `json:"grid"`
	Params    Params    `json:"params,omitempty"`
}

// String returns c in the form that users see: "cpu_sell float32 block 8 grid 2".
func (c Config) String() string {
	s := c.Kernel + " " + string(c.Precision)
	if c.Block > 0 {
		s += fmt.Sprintf(" block %d", c.Block)
	}
	if c.Grid > 0 {
		s += fmt.Sprintf(" grid %d", c.Grid)
	}

	if c.Params != "" {
		s += " " + c.Params.String()
	}
	return s
}
