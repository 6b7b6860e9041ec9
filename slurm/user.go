package slurm

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Me is the name of the user who runs this process.
func Me() string { return userName(uint32(os.Getuid())) }

// Owner is who made the run; "" if it is not known.
func (r *Run) Owner() string { return r.userOf(infoFile) }

// RoundUser is who submitted a round, as far as jobs.jsonl does not say it; "" if it is not known.
func (r *Run) RoundUser(number int) string { return r.userOf(roundFile(number)) }

// userOf is who made a file of the run.
func (r *Run) userOf(file string) string {
	info, err := os.Stat(r.Path(file))
	if err != nil {
		return ""
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return userName(s.Uid)
	}
	return ""
}

// userName is the name of a user, or the number of one without a name.
func userName(uid uint32) string {
	number := strconv.FormatUint(uint64(uid), 10)
	if u, err := user.LookupId(number); err == nil {
		return u.Username
	}
	return number
}

// CheckWrite says who may write to the run, if this user may not: to its folder, and to those of some files that
// are there.
func (r *Run) CheckWrite(files ...string) error {
	for _, file := range append([]string{"."}, files...) {
		err := unix.Access(r.Path(file), unix.W_OK)
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EROFS) {
			return &ReadOnlyError{Path: filepath.Clean(r.Path(file)), Owner: r.Owner(), Mounted: errors.Is(err, unix.EROFS)}
		}
	}
	return nil
}

// A ReadOnlyError says that this user may not write to a run.
type ReadOnlyError struct {
	Path  string
	Owner string // Owner made the run.
	// Mounted says that nobody may write, since the file system is mounted read-only.
	Mounted bool
}

func (e *ReadOnlyError) Error() string {
	if e.Mounted {
		return fmt.Sprintf("%s can only be read: its file system is mounted read-only", e.Path)
	}
	if e.Owner == "" || e.Owner == Me() {
		return fmt.Sprintf("%s can only be read", e.Path)
	}
	return fmt.Sprintf("%s can only be read by you: %s made the run", e.Path, e.Owner)
}
