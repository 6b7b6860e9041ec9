// SPDX-License-Identifier: Apache-2.0

// Package trial has the words of the domain, which every other package uses: a trial, the
// matrix it is on, its result, the place where it competes with others, which of several
// results is in force, and a part of a list of trials.
//
// It needs no device, no database and no file. All times are in seconds.
package trial

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
)

// A Trial is one experiment: a configuration on a matrix under a cache state.
// The device, the driver and the rest of the protocol are those of the run.
type Trial struct {
	ID     string `json:"id"`     // identity, see Identity
	Matrix string `json:"matrix"` // the matrix's content hash
	kernels.Config
	Cache Cache `json:"cache"`
}

// Verifications is about how many products a trial takes besides its samples to be compared
// with the reference: one, and one for a probe. Some matrices need none, or several.
const Verifications = 2

// Cache is the state of the device's caches when a sample starts.
type Cache string

const (
	Cold Cache = "cold" // flushed before every sample
	Warm Cache = "warm" // products run back to back
)

// A Case is where trials compete with each other: one matrix on one device, in one
// precision and cache state.
//
// Device and Matrix are names that are unique in whatever holds the case: the label and
// the name of the views in a database, the matrix's content hash in a run.
type Case struct {
	Device, Matrix string
	Precision      kernels.Precision
	Cache          Cache
}

// Case returns the case of a trial on a device.
func (t Trial) Case(device string) Case {
	return Case{Device: device, Matrix: t.Matrix, Precision: t.Precision, Cache: t.Cache}
}

// Identity returns the identity of a trial: a digest of all that its result depends on,
// the version of the measurement included (0 where it is not known). The sweep's name, the
// matrix's name and the path it was read from are not part of it: the same experiment,
// asked for twice, is measured once. A changed matrix or kernel is another experiment.
func Identity(t Trial, dev kernels.Device, source, protocol string, measurement int) string {
	h := sha256.New()
	parts := []string{
		"trial 1", // raise when the meaning of a part changes
		t.Matrix, t.Kernel, source, string(t.Precision),
		fmt.Sprint(t.Block), fmt.Sprint(t.Grid), t.Params.String(), string(t.Cache),
		dev.Backend, dev.Name, dev.Driver, protocol,
	}

	if measurement > 1 { // older identities do not name their version
		parts = append(parts, fmt.Sprint("measurement ", measurement))
	}

	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s\n", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// A Key is the first half of a trial's identity. Among a million trials the chance that two share
// their 64 bits is 3·10⁻⁸.
type Key uint64

// KeyOf returns the key of an identity.
func KeyOf(id string) Key {
	key, err := strconv.ParseUint(id[:min(len(id), 16)], 16, 64)
	if err != nil { // not an identity of this program: hash it
		for _, b := range []byte(id) {
			key = (key ^ uint64(b)) * 1099511628211 // FNV-1a
		}
	}
	return Key(key)
}

// IDs lists trials: "3:" and the keys of three trials in base64.
type IDs string

// ListOf lists keys, in their order and each once.
func ListOf(keys iter.Seq[Key]) IDs {
	sorted := slices.Compact(slices.Sorted(keys))
	data := make([]byte, 0, 8*len(sorted))
	for _, k := range sorted {
		data = binary.BigEndian.AppendUint64(data, uint64(k))
	}
	return IDs(fmt.Sprintf("%d:%s", len(sorted), base64.RawStdEncoding.EncodeToString(data)))
}

// Keys returns the keys of a list, none if it is not whole.
func (l IDs) Keys() []Key {
	count, text, _ := strings.Cut(string(l), ":")
	n, err := strconv.Atoi(count)
	data, wrong := base64.RawStdEncoding.DecodeString(text)
	if err != nil || wrong != nil || len(data) != 8*n {
		return nil
	}
	keys := make([]Key, n)
	for i := range keys {
		keys[i] = Key(binary.BigEndian.Uint64(data[8*i:]))
	}
	return keys
}

// Unite returns the list of all that lists have.
func Unite(all ...IDs) IDs { return ListOf(slices.Values(slices.Concat(lists.Of(all, IDs.Keys)...))) }

// A Matrix describes a matrix of a sweep, without its entries.
type Matrix struct {
	Name string `json:"name"` // short, unique within a sweep
	// Source says in words where the matrix comes from: a path, a generator with its
	// arguments, "SuiteSparse Group/Name", or "twin of Group/Name: " and the generator.
	Source   string `json:"source"`
	Class    string `json:"class"` // structure class: matrices of a class are one family
	Hash     string `json:"hash"`  // content: sizes, row pointers, columns, values
	Field    string `json:"field"` // real, integer, pattern
	Symmetry string `json:"symmetry"`
	// TwinOf is the name of the published matrix that a twin is a likeness of, "" of a
	// matrix that is no twin.
	TwinOf string `json:"twin_of,omitempty"`
	// TwinScale is the size of a twin as a multiple of the published matrix's rows,
	// columns and nonzeros.
	TwinScale       float64           `json:"twin_scale,omitempty"`
	sparse.Features `json:"features"` // NaN where they are not known
	// FeaturesSeconds is how long it took to read the features; 0: not known.
	FeaturesSeconds float64 `json:"features_seconds,omitempty"`
	// Pattern shows where the entries lie.
	Pattern sparse.Thumbnail `json:"pattern,omitempty"`
	// NonFinite is the number of entries of the file that are NaN or infinite.
	NonFinite int `json:"non_finite,omitempty"`
	// Odd says in what the entries of the file contradict the symmetry that it announces, or "".
	Odd string `json:"odd,omitempty"`
	// Note is a remark about this run only: why the cache could not keep the matrix, or
	// why a twin takes its place.
	Note string `json:"-"`
}

// A Size is what a plan needs to know of a matrix that is not loaded.
type Size struct {
	Rows, Cols, Nonzeros int
	// Longest is the number of entries of the longest row; 0: not known.
	Longest int
}

// Size returns the size of m, which was loaded.
func (m Matrix) Size() Size {
	return Size{m.Features.Rows, m.Features.Cols, m.Features.Nonzeros, m.Features.RowMax}
}

// An Interval is a range of times in seconds. It is zero where nothing is known.
type Interval struct {
	Low, High float64
}

// An Origin is where trials were measured. A field that is not known is "".
type Origin struct {
	Node string `json:"node,omitempty"` // host name
	UUID string `json:"uuid,omitempty"` // of the device, as its driver says: "GPU-…"
	Job  string `json:"job,omitempty"`  // of Slurm, with the task of an array: "12_3"
}

// A Part is a share of the trials of a matrix, in the order of its plan: part
// Index, from 0, of Of parts that differ by at most one trial. It goes from Index/Of to
// (Index+1)/Of of the list.
type Part struct {
	Index int `json:"part"`
	Of    int `json:"of"`
}

// A Piece is a part of the trials of one matrix, and what became of it. It is all of them, unless there are
// too many for one task. The last three fields are zero as long as nobody has worked on it.
type Piece struct {
	Matrix string `json:"matrix"` // name in the sweep
	Part
	Complete bool   `json:"complete,omitempty"` // whether every trial is recorded, however it ended
	Reason   string `json:"reason,omitempty"`   // why it is not complete
	IDs      IDs    `json:"ids,omitempty"`      // its trials, if it is complete
}

// Cut returns the n pieces that p falls into.
func (p Piece) Cut(n int) []Piece {
	cut := make([]Piece, n)
	for i := range cut {
		cut[i] = Piece{Matrix: p.Matrix, Part: Part{p.Index*n + i, p.Of * n}}
	}
	return cut
}

// Overlaps reports whether p and q have trials in common, if there are enough trials.
func (p Piece) Overlaps(q Piece) bool {
	return p.Matrix == q.Matrix && p.Index*q.Of < (q.Index+1)*p.Of && q.Index*p.Of < (p.Index+1)*q.Of
}

// CoveredBy reports whether the parts together have all trials of p.
func (p Part) CoveredBy(parts []Part) bool {
	compare := func(a, m, b, n int) int { return cmp.Compare(a*n, b*m) } // a/m with b/n
	parts = slices.DeleteFunc(slices.Clone(parts), func(q Part) bool { return q.Of < 1 })
	slices.SortFunc(parts, func(a, b Part) int { return compare(a.Index, a.Of, b.Index, b.Of) })

	from, of := p.Index, p.Of // what is before from/of is covered
	for _, q := range parts {
		if compare(q.Index, q.Of, from, of) <= 0 && compare(q.Index+1, q.Of, from, of) > 0 {
			from, of = q.Index+1, q.Of
		}
	}

	return p.Of > 0 && compare(from, of, p.Index+1, p.Of) >= 0
}

// Cut returns a part of a list.
func Cut[T any](p Part, all []T) []T {
	n := len(all)
	return all[n*p.Index/p.Of : n*(p.Index+1)/p.Of]
}
