package configs

import (
	"fmt"

	"spmvtune/sparse/generate"
)

// Matrix names one matrix: a file at Path, what Generate makes of Args, or SuiteSparse,
// the matrix Group/Name of the collection. A matrix of the collection may also have
// Generate: its twin, which is measured where the matrix can't be downloaded. Globs are
// expanded already.
//
// A matrix of the collection is resolved once it is known what it is here: a file, a
// download or its twin. Reading a sweep file does not resolve it, because that asks no server.
type Matrix struct {
	Name  string `json:"name"`
	Class string `json:"class"`

	// Path is absolute.
	Path string `json:"path,omitempty"`
	// SuiteSparse is as in "DIMACS10/delaunay_n23".
	SuiteSparse string `json:"suitesparse,omitempty"`
	// Generate is the name of a generator, and Args are its arguments: int64, float64 or string.
	Generate string         `json:"generate,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
	// Twin says that Generate is measured in place of SuiteSparse.
	Twin bool `json:"twin,omitempty"`

	// Expand says that symmetric files are expanded.
	Expand bool `json:"expand"`
	// Complex is "real-part", or "" to refuse complex files.
	Complex string `json:"complex,omitempty"`
}

// Resolved reports whether it is known what m is here.
func (m Matrix) Resolved() bool { return m.SuiteSparse == "" || m.Path != "" || m.Twin }

// HasTwin reports whether something can be measured in place of m.
func (m Matrix) HasTwin() bool { return m.SuiteSparse != "" && m.Generate != "" }

// Downloaded resolves m to the file at path.
func (m Matrix) Downloaded(path string) Matrix {
	m.Path, m.Generate, m.Args = path, "", nil
	return m
}

// Substitution says that a twin is measured, and why.
func (m Matrix) Substitution(why error) string {
	return fmt.Sprintf("%s is generated and measured in place of %s: %v", m.Name, m.SuiteSparse, why)
}

// AsTwin resolves m to its twin. Results of the two have different names, so that
// nothing takes one for the other; so have those of two forms of a twin.
func (m Matrix) AsTwin() Matrix {
	form := generate.TwinLocality(m.Generate, m.Args)
	if form != "" {
		form = ", locality " + form
	}
	m.Twin = true
	m.Name += " (twin" + form + ")"
	return m
}
