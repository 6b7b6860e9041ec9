//go:build cuda

package cuda

import "strconv"

// Source returns a digest of a kernel's compiled code and recipe; for a kernel of cuSPARSE it
// is the library's version, or "" if there is no library.
func (b *Backend) Source(kernel string) string {
	if o, ok := b.Own(kernel); ok {
		return b.OwnSource(o)
	}
	if _, ok := vendorRecipes[kernel]; !ok {
		return Source(kernel)
	}
	lib, err := b.cusparse()
	if err != nil {
		return ""
	}
	return "cusparse " + strconv.Itoa(int(lib.lib.version))
}
