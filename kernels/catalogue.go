// SPDX-License-Identifier: Apache-2.0

package kernels

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"example.org/spmvtune/internal/base/lists"
)

//go:embed catalogue.toml
var catalogueTOML string

// Catalogue lists all kernels by family, in the order in which tables and legends show them. Papers are the publications
// that Kernel.Source and the figures cite by key; they cite others in full. Neither may be changed.
var Catalogue, Papers = readCatalogue()

func readCatalogue() (all []Kernel, papers []Paper) {
	var table struct {
		Paper  []Paper
		Shared []Param // choices that kernels only name
		Family []struct {
			Kernel             // what its kernels share
			Unordered []string // kernels that add in any order
			Rows      []Kernel `toml:"kernel"`
		}
	}
	md, err := toml.Decode(catalogueTOML, &table)
	if err != nil || len(md.Undecoded()) > 0 {
		panic(fmt.Sprint("catalogue.toml: ", err, md.Undecoded())) // embedded; every test reads it
	}
	for _, f := range table.Family {
		for _, k := range f.Rows {
			for i, p := range k.Params {
				if p.Doc == "" {
					k.Params[i] = table.Shared[slices.IndexFunc(table.Shared, func(s Param) bool { return s.Name == p.Name })]
				}
			}
			k.Deterministic = f.Deterministic && !slices.Contains(f.Unordered, k.Name)
			all = append(all, k.of(f.Kernel))
		}
	}
	return all, table.Paper
}

// of completes k by what its family shares: Legal begins with what Blocks and the family ask for.
func (k Kernel) of(family Kernel) Kernel {
	k.Backend, k.Scope = family.Backend, cmp.Or(k.Scope, ScopeRow)
	k.Format, k.Mapping = cmp.Or(k.Format, family.Format), cmp.Or(k.Mapping, family.Mapping)
	k.Block, k.Grid = cmp.Or(k.Block, family.Block), cmp.Or(k.Grid, family.Grid)
	k.Blocks = cmp.Or(k.Blocks, family.Blocks)
	legal := []string{"", family.Legal, k.Legal}
	if k.Blocks.Step > 1 || k.Blocks.Pow2 {
		legal[0] = "block " + k.Blocks.String()
	}
	k.Legal = strings.Join(slices.DeleteFunc(legal, func(s string) bool { return s == "" }), "; ")
	return k
}

// Lookup returns the kernel with this name.
func Lookup(name string) (Kernel, bool) {
	for i := range Catalogue { // without copies: plans ask for each of a million trials
		if Catalogue[i].Name == name {
			return Catalogue[i], true
		}
	}
	return Kernel{}, false
}

// Names returns the names of all kernels in the order of the catalogue.
func Names() []string {
	return lists.Of(Catalogue, func(k Kernel) string { return k.Name })
}

// Library reports whether a kernel is one of cuSPARSE's.
func (k Kernel) Library() bool { return strings.HasPrefix(k.Name, "cusparse_") }

// Plain reports whether a configuration of k reads the matrix as CSR or COO has it, without
// another format or another order of rows.
func (k Kernel) Plain(c Config) bool {
	_, reordered := c.Params.Get(Reorder)
	return (k.Format == CSR || k.Format == COO) && !reordered
}

// A Paper is a publication that kernels and figures come from. They cite it by its key.
type Paper struct {
	Key     string // "coo-spmv-final"
	Title   string
	Authors string // "" where the text names none
	Where   string // what it was published as, and the authors' program
	Year    int
}

// Citation is what to search for to find a paper.
func (p Paper) Citation() string {
	s := fmt.Sprintf("%s. %s, %d", p.Title, p.Where, p.Year)
	if p.Authors != "" {
		s = p.Authors + ": " + s
	}
	return s
}

// Cited returns the papers that a source, of a kernel or a figure, cites by key.
func Cited(source string) []Paper {
	return lists.Where(Papers, func(p Paper) bool { return strings.Contains(source, p.Key) })
}
