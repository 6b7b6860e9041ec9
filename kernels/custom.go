// SPDX-License-Identifier: Apache-2.0

package kernels

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"example.org/spmvtune/internal/base/lists"
)

// A Custom kernel is not in the catalogue: a sweep defines it. Package custom reads its source and
// compiles it, or runs it if it is a program.
type Custom struct {
	Kernel
	// Entry is the name of the function, extern "C" where the language is C++.
	Entry string `json:"entry"`
	// File is the source among Files, which has the text of all that the source includes by
	// "NAME", too, by paths with slashes.
	File  string            `json:"file"`
	Files map[string]string `json:"files"`
	// Launch is the number of blocks that are launched on a GPU, and Shared the dynamic shared
	// memory of a block in bytes: expressions, see custom.Value.
	Launch string `json:"launch,omitempty"`
	Shared string `json:"shared,omitempty"`
	// Zero says that the kernel adds to y, which is zeroed within the product.
	Zero bool `json:"zero,omitempty"`
	// Command is a program with its arguments in place of a source, see custom.Program.
	Command []string `json:"command,omitempty"`
}

// NotVerified ends the name of a kernel whose y nobody sees, wherever it stands.
const NotVerified = " (not verified)"

// Verified reports whether somebody sees the kernel's y.
func (c Config) Verified() bool { return !strings.HasSuffix(c.Kernel, NotVerified) }

// LookupCustom returns the custom kernel with this name.
func LookupCustom(list []Custom, name string) (Custom, bool) {
	return lists.First(list, func(o Custom) bool { return o.Name == name })
}

// Find returns the kernel with this name among custom ones and in the catalogue.
func Find(list []Custom, name string) (Kernel, bool) {
	if o, ok := LookupCustom(list, name); ok {
		return o.Kernel, true
	}
	return Lookup(name)
}

// Digest is a SHA-256, in hexadecimal, of the definition with the texts of the files, but not of what a
// configuration says, too: a sweep that gives a parameter another value has measured the others.
func (o Custom) Digest() string {
	o.Kernel = Kernel{Name: o.Name, Backend: o.Backend, Format: o.Format}
	text, _ := json.Marshal(o) // strings, numbers and lists of them always have JSON
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// Macros are what the source is compiled with for a configuration, by name: the type of values,
// the block and each parameter, in capitals.
func (o Custom) Macros(c Config) map[string]string {
	macros := map[string]string{"SPMV_REAL": "double"}
	if c.Precision == Float32 {
		macros["SPMV_REAL"] = "float"
	}
	if o.Block != "" {
		macros["BLOCK"] = strconv.Itoa(c.Block)
	}
	for _, p := range o.Params {
		macros[strings.ToUpper(p.Name)] = o.Setting(c.Params, p.Name)
	}
	return macros
}

// Variables are what the expressions of a launch use: the sizes of the matrix, those of the
// launch, and the parameters that are numbers.
func (o Custom) Variables(c Config, rows, cols, nonzeros int) map[string]int {
	v := map[string]int{
		"rows": rows, "cols": cols, "nonzeros": nonzeros, "block": c.Block, "grid": c.Grid,
		"value_bytes": c.Precision.Bytes(),
	}
	for _, p := range o.Params {
		if n, err := strconv.Atoi(o.Setting(c.Params, p.Name)); err == nil {
			v[p.Name] = n
		}
	}
	return v
}

// A Host is a Backend that runs kernels which are not in the catalogue.
type Host interface {
	// Adopt makes kernels known, and says where what is compiled of them is kept.
	Adopt(list []Custom, cache string)
	// Build compiles custom kernels as configurations need them, so that Prepare finds them
	// compiled. It returns why each can't be, "" where it can.
	Build(list []Config) []string
}
