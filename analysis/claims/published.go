package claims

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"spmvtune/kernels"
)

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
func PaperResults() []PaperResult { return paperResults() }

// What is embedded is read once; TestPaperResults reads it too, so that it can't fail here.
var paperResults = sync.OnceValue(func() []PaperResult {
	list, err := parsePaperResults(resultsCSV)
	if err != nil {
		return nil
	}
	return list
})

// parsePaperResults reads the table: a header, then a line for each number.
func parsePaperResults(text []byte) ([]PaperResult, error) {
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("reading the published results: %w", err)
	}
	const header = "paper,table,device,matrix,kernel,precision,metric,value,unit,caveat"
	if len(lines) == 0 || strings.Join(lines[0], ",") != header {
		return nil, fmt.Errorf("reading the published results: the first line is not %q", header)
	}

	list := make([]PaperResult, 0, len(lines)-1)
	for i, l := range lines[1:] {
		v, err := paperNumber(l[7])
		if err != nil {
			return nil, fmt.Errorf("reading the published results: line %d: %w", i+2, err)
		}
		list = append(list, PaperResult{l[0], l[1], l[2], l[3], l[4], kernels.Precision(l[5]), l[6], v, l[8], l[9]})
	}

	return list, nil
}

// paperNumber reads what the papers print: "22.71", "429M", "13.4k", "1.2%".
func paperNumber(s string) (float64, error) {
	scale := 1.0
	for suffix, by := range map[string]float64{"M": 1e6, "k": 1e3, "%": 1e-2} {
		if rest, ok := strings.CutSuffix(s, suffix); ok {
			s, scale = rest, by
		}
	}
	v, err := strconv.ParseFloat(s, 64)
	return v * scale, err
}
