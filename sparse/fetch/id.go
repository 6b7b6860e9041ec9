package fetch

import (
	"fmt"
	"regexp"
)

// An ID names a matrix of the collection. Neither part can lead out of a folder.
type ID struct{ Group, Name string }

// String gives id as the collection writes it: "DIMACS10/delaunay_n23".
func (id ID) String() string { return id.Group + "/" + id.Name }

var idForm = regexp.MustCompile(`^(\w[\w.+-]*)/(\w[\w.+-]*)$`)

// ParseID reads Group/Name.
func ParseID(text string) (ID, error) {
	m := idForm.FindStringSubmatch(text)
	if m == nil {
		return ID{}, fmt.Errorf(`want Group/Name, as in "DIMACS10/delaunay_n23", not %q`, text)
	}
	return ID{m[1], m[2]}, nil
}
