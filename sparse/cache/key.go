package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"spmvtune/sparse"
)

// version is part of every key. It changes whenever the layout of entries does, or
// the meaning of a feature that keeps its name; a feature that is added, renamed or
// removed changes the keys by itself.
const version = "3" // 2: with patterns; 3: with checksums of the arrays

// A Key names an entry: 64 hex digits.
type Key string

// NewKey returns the key of a matrix that depends only on parts. Together they say where it
// comes from: its maker, the maker's version, and its input.
func NewKey(parts ...string) Key {
	h := sha256.New()
	features, _ := json.Marshal(sparse.Features{}) // numbers only: it can't fail
	for _, p := range append([]string{"spmvtune matrix", version, string(features)}, parts...) {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return Key(hex.EncodeToString(h.Sum(nil)))
}
