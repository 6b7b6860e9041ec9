package mtx

// A Size is what the first lines of a file say about it.
type Size struct {
	Rows, Cols int
	Entries    int  // in the file
	Symmetric  bool // or skew-symmetric or Hermitian: only a triangle is in the file
}

// ReadSize reads no further than the size line of the file at path, which may be
// packed with gzip. Errors are those of Read.
func ReadSize(path string) (Size, error) {
	f, err := open(path)
	if err != nil {
		return Size{}, err
	}
	defer f.Close()
	s, err := newSource(f, path)
	if err != nil {
		return Size{}, err
	}
	h, err := readHeader(s)
	if err != nil {
		return Size{}, err
	}
	return Size{h.rows, h.cols, h.entries, h.symmetry != "general"}, nil
}
