package command

import (
	"errors"
	"fmt"

	"spmvtune/internal/base/panics"
	"spmvtune/internal/base/term"
)

// Reported says of a mistake in this program how to report it.
func Reported(err error, args []string) error {
	var m *panics.Error
	if !errors.As(err, &m) {
		return err
	}
	return fmt.Errorf("a mistake in spmvtune %s, please report it with its command, %s: %w", Version(),
		term.Shell(append([]string{"spmvtune"}, args...)...), err)
}
