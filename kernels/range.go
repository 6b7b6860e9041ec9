package kernels

import (
	"fmt"
	"math/bits"
)

// A Range is a set of integers with a common step; the zero Range is empty.
type Range struct {
	Min  int  `json:"min"`
	Max  int  `json:"max"`
	Step int  `json:"step"`           // members are its multiples
	Pow2 bool `json:"pow2,omitempty"` // members are powers of two
}

// Contains reports whether n is in r.
func (r Range) Contains(n int) bool {
	return r.Step > 0 && n >= r.Min && n <= r.Max && n%r.Step == 0 &&
		(!r.Pow2 || bits.OnesCount(uint(n)) == 1)
}

// String says what is in r, as in "a multiple of 32 from 32 to 1024".
func (r Range) String() string {
	switch {
	case r.Step == 0:
		return "nothing"
	case r.Pow2:
		return fmt.Sprintf("a power of two from %d to %d", r.Min, r.Max)
	case r.Step > 1:
		return fmt.Sprintf("a multiple of %d from %d to %d", r.Step, r.Min, r.Max)
	}
	return fmt.Sprintf("from %d to %d", r.Min, r.Max)
}
