package text

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
)

// CheckArchive reads a gzipped archive of the collection to its end, until ctx ends,
// and reports whether it is whole: the packing's checksums are right, and the matrix
// name/name with the extension, such as ".mtx", is in it. The matrix itself is not
// read.
func CheckArchive(ctx context.Context, r io.Reader, name, extension string) error {
	unzipped, err := gzip.NewReader(bufio.NewReaderSize(&Interruptible{ctx, r}, 1<<16))
	if err != nil {
		return fmt.Errorf("unpacking: %w", err)
	}
	m, err := openMember(unzipped, name, []string{extension})
	if errors.Is(err, errNoMember) {
		return fmt.Errorf("unpacking: no file %s/%s%s is in it", name, name, extension)
	}
	if err == nil {
		_, err = io.Copy(io.Discard, m)
	}
	if err != nil {
		return fmt.Errorf("unpacking: %w", err)
	}

	return nil
}
