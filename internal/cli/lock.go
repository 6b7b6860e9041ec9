package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"spmvtune/internal/cli/command"
)

// lockFolder keeps other runs from measuring into the same folder: two runs at once would
// disturb each other. The lock ends with the process.
func lockFolder(dir string) (unlock func(), err error) {
	const elsewhere = "give another folder with --out"
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, command.WithHint(fmt.Errorf("making the folder of the results: %w", err), elsewhere)
	}
	f, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, command.WithHint(fmt.Errorf("locking the folder of the results: %w", err), elsewhere)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, command.WithHint(fmt.Errorf("another run is measuring into %s", dir),
				"wait for it, or give another folder with --out")
		}
		return nil, fmt.Errorf("locking %s: %w", dir, err)
	}

	return func() { f.Close() }, nil
}
