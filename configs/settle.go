package configs

import "fmt"

// Matrix names one matrix: a file at Path, what Generate makes of Args, or SuiteSparse,
// the matrix Group/Name of the collection; that may have Generate beside it, a twin to
// measure where the matrix can't be downloaded. Globs are expanded already.
//
// A matrix of the collection is settled when it is decided which of the two is
// measured. It is not when a sweep file is read, which asks no server.
type Matrix struct {
	Name        string         `json:"name"`
	Class       string         `json:"class"`
	Path        string         `json:"path,omitempty"`        // absolute
	SuiteSparse string         `json:"suitesparse,omitempty"` // "DIMACS10/delaunay_n23"
	Generate    string         `json:"generate,omitempty"`    // generator's name
	Args        map[string]any `json:"args,omitempty"`        // its arguments: int64 or float64
	Twin        bool           `json:"twin,omitempty"`        // Generate is measured in place of SuiteSparse
	Expand      bool           `json:"expand"`                // symmetric files are expanded
	Complex     string         `json:"complex,omitempty"`     // "real-part", or "" to refuse
}

// Settled reports whether it is decided what m is.
func (m Matrix) Settled() bool { return m.SuiteSparse == "" || m.Path != "" || m.Twin }

// HasTwin reports whether something can be measured in place of m.
func (m Matrix) HasTwin() bool { return m.SuiteSparse != "" && m.Generate != "" }

// Downloaded settles m as the file at path.
func (m Matrix) Downloaded(path string) Matrix {
	m.Path, m.Generate, m.Args = path, "", nil
	return m
}

// Substitution says that a twin is measured, and why.
func (m Matrix) Substitution(why error) string {
	return fmt.Sprintf("%s is generated and measured in place of %s: %v", m.Name, m.SuiteSparse, why)
}

// AsTwin settles m as its twin. Results of the two have different names, so that
// nothing takes one for the other.
func (m Matrix) AsTwin() Matrix {
	m.Twin = true
	m.Name += " (twin)"
	return m
}
