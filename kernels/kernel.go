// SPDX-License-Identifier: Apache-2.0

// Package kernels is the catalogue of sparse matrix-vector products and the
// interface through which a device runs them.
//
// The catalogue is a literal table: for every kernel its name, the name its paper gives it,
// where it was published, what block and grid mean, what else can be chosen, and which choices
// are legal. It covers the kernels of five papers on COO and CSR products, the processor's own,
// and the peers they are measured against. A kernel is listed even if this machine can't run
// it; Kernel.Backend says what it needs.
//
// Data flows one way. A sweep names kernels and values; Kernel.Check refuses what no device
// could run; a Backend is given a Problem by Load, makes a Config ready by Prepare, and the
// Product that comes back is verified with Multiply and timed with Sample. Problems that only
// the device can detect (too many registers, too little memory) come back from Prepare as an
// *InvalidError.
//
// The package runs nothing and chooses nothing. It holds no measurements, and
// no backend registers itself with it.
package kernels

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/sparse/reorder"
)

// A Kernel is a row of the catalogue: what a kernel is called, where it comes
// from, what can be chosen for it, and what it needs to be legal.
type Kernel struct {
	Name    string  `json:"kernel"`           // stable: databases and sweep files use it
	Paper   string  `json:"paper"`            // the paper's own name, printed in legends beside Name; "" if it has none
	Source  string  `json:"source"`           // paper and section, or the peer's publication
	Format  Format  `json:"format"`           //
	Backend string  `json:"backend"`          // "cpu" or "cuda"
	Mapping string  `json:"mapping"`          // one line: which thread does what
	Block   string  `json:"block"`            // what block means; "" if there is no choice
	Grid    string  `json:"grid"`             // what grid means; "" if there is no choice
	Params  []Param `json:"params,omitempty"` //
	Legal   string  `json:"legal,omitempty"`  // what a legal configuration needs, in words
	// Blocks bounds block; it is empty if there is no choice.
	Blocks Range `json:"blocks"`
	// Sorted says that columns must increase within a row.
	Sorted bool `json:"sorted_columns"`
	// Scope says over which entries the error of a row is bounded.
	Scope Scope `json:"error_scope"`
	// Deterministic says that the same problem, device and configuration give the same bits in every run.
	Deterministic bool `json:"deterministic"`
	// Lanes are the threads of a GPU that sum one row, or as many as would be as fast: a long row holds up the others. 0 where
	// long rows are shared out, or kernels go by nonzeros.
	Lanes int `json:"-"`
	// Custom says that a sweep defines the kernel: it is not in the catalogue.
	Custom bool `json:"guest,omitempty"`
}

// A Format is how a kernel stores the matrix.
type Format string

const (
	COO  Format = "coo"
	CSR  Format = "csr"
	SELL Format = "sell"
	BSR  Format = "bsr"
	// Tiles has CSR's order with short indices, by tiles of rows.
	Tiles Format = "tiles"
	// Panels of columns, whose entries have columns of 16 bits.
	Panels Format = "panels"
)

// A Scope is the set of entries whose magnitudes bound the error of a row.
type Scope string

const (
	ScopeRow   Scope = "row"   // the row's own
	ScopeBlock Scope = "block" // those of the scan windows that the row touches: the kernel subtracts prefixes
)

// A Param is a choice beyond block and grid.
type Param struct {
	Name    string   `json:"name"`
	Values  []string `json:"values"`  // legal values where they are few; nil: any positive integer
	Default string   `json:"default"` // used where a configuration does not set it
	Doc     string   `json:"doc"`
	// Optional says that a configuration which has the default does not name the parameter.
	Optional bool `json:"optional,omitempty"`
}

// String says what p is, and its values.
func (p Param) String() string {
	values := "any positive integer"
	if len(p.Values) > 0 {
		values = strings.Join(p.Values, ", ")
	}
	return fmt.Sprintf("%s: %s (%s; default %s)", p.Name, p.Doc, values, p.Default)
}

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
	return strings.Join(append([]string{c.Kernel, string(c.Precision)}, c.Settings()...), " ")
}

// Settings are the choices that c has beside its kernel and precision, in words: "block 8", "grid 2".
func (c Config) Settings() (list []string) {
	if c.Block > 0 {
		list = append(list, fmt.Sprintf("block %d", c.Block))
	}
	if c.Grid > 0 {
		list = append(list, fmt.Sprintf("grid %d", c.Grid))
	}
	if c.Params != "" {
		list = append(list, c.Params.String())
	}
	return list
}

// ParseConfig reads what String writes, whose precision may be left out. Parameters that are not named have their
// defaults. The error says what is wrong or not legal.
func ParseConfig(text string, p Precision) (c Config, err error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return c, errors.New("no kernel is named")
	}
	k, ok := Lookup(words[0])
	if !ok {
		return c, fmt.Errorf("there is no kernel %.64q", words[0])
	}
	c = Config{Kernel: k.Name, Precision: p}
	settings := map[string]string{}
	for i := 1; i < len(words); i++ {
		name, value, isSetting := strings.Cut(words[i], "=")
		number := map[string]*int{"block": &c.Block, "grid": &c.Grid}[words[i]]
		switch {
		case isSetting:
			settings[name] = value
		case number != nil && i+1 < len(words):
			i++
			if *number, err = strconv.Atoi(words[i]); err != nil {
				return c, fmt.Errorf("%s %.64q is not a number", words[i-1], words[i])
			}
		case Precision(words[i]) != p:
			return c, fmt.Errorf("%.64q is none of %s, block N, grid N and NAME=VALUE", words[i], p)
		}
	}
	c.Params = k.Complete(NewParams(settings))
	return c, k.Check(c)
}

// A Range is a set of integers with a common step; the zero Range is empty.
type Range struct {
	Min  int  `json:"min"`
	Max  int  `json:"max"`
	Step int  `json:"step"`           // members are its multiples
	Pow2 bool `json:"pow2,omitempty"` // members are powers of two
	// Default is the member for a sweep that names none; 0 for a GPU's kernels, which have 256 then.
	Default int `json:"default,omitempty"`
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

// Reorder is the name of a choice that kernels share: the order of the matrix's rows.
// x is put into the new order, and y back into the old one, within the product (future work 3
// of csr-shuffle-and-shared). The preparation of a trial contains the ordering.
//
// A configuration that leaves the matrix as it is does not name it.
const Reorder = "reorder"

var reorderParam = Param{
	Name: Reorder, Default: "none", Optional: true,
	Values: append([]string{"none"}, lists.Of(reorder.Methods, func(m reorder.Method) string { return string(m) })...),
	Doc:    "the order of the rows; x and y are permuted within the product",
}

// Orders reports whether k has the choice of reorder. A library's kernels, those of sweeps, and
// those whose error is bounded over several rows, take the matrix as it is.
func (k Kernel) Orders() bool { return k.Scope == ScopeRow && !k.Library() && !k.Custom }

// Choices are the parameters of k with those that it shares with other kernels.
func (k Kernel) Choices() []Param {
	if !k.Orders() {
		return k.Params
	}
	return append(k.Params[:len(k.Params):len(k.Params)], reorderParam)
}

// A block of threads sums a row: the number of its Lanes.
const wholeBlock = -1

// RowLanes returns how many threads of a GPU sum one row, however long it is; 0 if long rows
// are shared out, or nothing is known.
func RowLanes(c Config) int {
	k, _ := Lookup(c.Kernel)
	if by, _ := c.Params.Get("long_row"); by == "warp" {
		return 32
	}
	if k.Lanes == wholeBlock {
		return c.Block
	}
	return c.Params.Int("width", k.Lanes)
}

// A Limit bounds what a matrix may be like for a configuration to be legal: one of its sums is at
// most 0.
type Limit []Sum

// A Sum adds products of features of a matrix.
type Sum []Term

// A Term is a factor times features of a matrix, by their names. Without features it is a constant.
type Term struct {
	Factor   float64  `json:"factor"`
	Features []string `json:"features,omitempty"`
}

// Holds reports whether a matrix is within l. A feature that is not known is NaN: it says nothing.
func (l Limit) Holds(feature func(name string) float64) bool {
	return slices.ContainsFunc(l, func(s Sum) bool { return s.Of(feature) <= 0 })
}

// Of is the sum for a matrix.
func (s Sum) Of(feature func(name string) float64) float64 {
	total := 0.0
	for _, t := range s {
		x := t.Factor
		for _, name := range t.Features {
			x *= feature(name)
		}
		total += x
	}
	return total
}

// Head is a comment with the licence of a kernel's source and what the catalogue says of it.
func (k Kernel) Head() string {
	s := "// From spmvtune, under the Apache License, Version 2.0 (http://www.apache.org/licenses/LICENSE-2.0).\n//\n"
	block := k.Block
	if block != "" {
		block += "; " + k.Blocks.String()
	}
	for _, line := range [][2]string{{"kernel", k.Name}, {"format", string(k.Format)}, {"mapping", k.Mapping},
		{"block", block}, {"grid", k.Grid}, {"needs", k.Legal}} {
		if line[1] != "" {
			s += fmt.Sprintf("// %s: %s\n", line[0], line[1])
		}
	}
	for _, p := range k.Params {
		s += fmt.Sprintf("// %s\n", p)
	}
	return s + "//\n"
}
