package slurm

import (
	"os"
	"os/user"
	"strconv"
	"syscall"
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
