package status

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"spmvtune/internal/base/files"
)

// LastLines returns the last lines of the log at path, at most n, without empty ones. A log
// that does not exist has none.
func LastLines(path string, n int) ([]string, error) {
	f, err := files.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading a log: %w", err)
	}
	defer f.Close()

	const most = 8 << 10
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("reading a log: %w", err)
	}
	from := max(0, info.Size()-most)
	data, err := io.ReadAll(io.NewSectionReader(f, from, most))
	if err != nil {
		return nil, fmt.Errorf("reading log %s: %w", path, err)
	}

	var lines []string
	for i, line := range strings.Split(string(data), "\n") {
		// The first line may be incomplete.
		if line = strings.TrimRight(line, " \t\r"); line != "" && (i > 0 || from == 0) {
			lines = append(lines, line)
		}
	}

	return lines[max(0, len(lines)-n):], nil
}
