// SPDX-License-Identifier: Apache-2.0

// Package claims holds what the papers claim, and says of each claim whether it holds
// on the devices of a results database.
//
// A claim is data: a record in data/*.toml with its text and source, and one or more
// parts. A part has a query over the database's stable views, whose rows are cases (a
// matrix and a figure with its interval), and a test of the cases. Nothing about a single
// claim is written in Go. A claim holds where all of its parts hold; it does not where
// one does not; and where the data can't tell, that is the verdict. Parts that are aside,
// such as those on our forms of a paper's kernel, are shown and do not enter it.
//
// Note: a number of a paper that depends on the machine, as "2.48 times", is tested
// within bounds around it that the part states. What was published is shown beside what
// was measured and never enters a verdict.
package claims

import (
	"bytes"
	"cmp"
	"embed"
	_ "embed"
	"encoding/csv"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"example.org/spmvtune/kernels"
)

// A Claim is what a paper says and how it is judged.
type Claim struct {
	Number  int      `toml:"number" json:"claim"`
	Text    string   `toml:"text" json:"text"`
	Paper   string   `toml:"paper" json:"paper"`     // The key of the bibliography.
	Section string   `toml:"section" json:"section"` // The section, with figure or table.
	Sweeps  []string `toml:"sweeps" json:"sweeps"`   // The shipped sweeps that produce its data in one database.
	Parts   []Part   `toml:"part" json:"-"`
}

// A Part is a statement that is tested by itself.
type Part struct {
	Says string `toml:"says"` // What a case's figure is.
	// Query gives the cases; see tables for what it reads. Its columns are device and
	// value, and where they have a meaning matrix, precision, cache, low, high (the
	// interval of the value; null if it is not known) and note (which kernel it was, say).
	Query string   `toml:"query"`
	Test  Test     `toml:"test"`
	Above *float64 `toml:"above"` // Exclusive bounds of the value, nil for none.
	Below *float64 `toml:"below"`
	Cases int      `toml:"cases"` // The fewest cases that a verdict can rest on; 0 means one.
	// Aside says that the part is shown and does not enter the verdict on the claim.
	Aside bool `toml:"aside"`
	// Published queries the table published: value (null where only words were
	// published), device, caveat, and matrix and precision where they have a meaning.
	Published string `toml:"published"`
	Quoted    string `toml:"quoted"` // What is published in words or as a picture.
}

// A Test says how the cases of a part decide.
type Test string

const (
	Most  Test = "most"  // More than half of the cases are within the bounds.
	Every Test = "every" // All cases are within the bounds.
	Any   Test = "any"   // One case is within the bounds.
	Mean  Test = "mean"  // The geometric mean of the cases is within the bounds.
)

// Rule puts the part's test in words.
func (p *Part) Rule() string {
	var bounds []string
	if p.Above != nil {
		bounds = append(bounds, "above "+number(*p.Above))
	}
	if p.Below != nil {
		bounds = append(bounds, "below "+number(*p.Below))
	}
	return fmt.Sprintf(testWords[p.Test], strings.Join(bounds, " and "))
}

var testWords = map[Test]string{Most: "%s in most cases", Every: "%s in every case", Any: "%s in some case",
	Mean: "geometric mean %s"}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// fewest returns how many cases a verdict needs.
func (p *Part) fewest() int { return max(1, p.Cases) }

//go:embed data/*.toml
var data embed.FS

// All returns the claims by number. They are shared and must not be changed. TestClaims reads them, too, so that what
// is embedded can't be wrong here.
var All = sync.OnceValue(func() (list []Claim) {
	names, _ := fs.Glob(data, "data/*.toml")
	for _, name := range names {
		var file struct{ Claim []Claim }
		if _, err := toml.DecodeFS(data, name, &file); err != nil {
			panic(err) // the file is part of the program
		}
		list = append(list, file.Claim...)
	}
	slices.SortFunc(list, func(a, b Claim) int { return cmp.Compare(a.Number, b.Number) })
	return list
})

//go:embed results.csv
var resultsCSV []byte

// A PaperResult is one number of a paper.
type PaperResult struct {
	Paper, Table string // "coo-spmv-final", "III"
	Device       string // The paper's name of the device.
	Matrix       string // The name without group: "model7".
	Kernel       string // Our name of the kernel, or another if we do not have it, as for a library's default.
	Precision    kernels.Precision
	Metric       string // "time", "bandwidth", "throughput", …
	Value        float64
	Unit         string // "ms", "GB/s", …
	Caveat       string // A caveat, "" if none is known.
}

// PaperResults returns all of them, in the order of the papers' tables. The slice is shared:
// it must not be changed.
// TestPaperResults reads them, too, so that what is embedded can't be wrong here.
var PaperResults = sync.OnceValue(func() (list []PaperResult) {
	lines, err := csv.NewReader(bytes.NewReader(resultsCSV)).ReadAll()
	for _, l := range lines[min(1, len(lines)):] {
		v, bad := strconv.ParseFloat(l[7], 64)
		err = cmp.Or(err, bad)
		list = append(list, PaperResult{l[0], l[1], l[2], l[3], l[4], kernels.Precision(l[5]), l[6], v, l[8], l[9]})
	}
	if err != nil {
		panic(fmt.Sprintf("results.csv: %v", err)) // it is part of the program
	}
	return list
})
