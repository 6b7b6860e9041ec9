package worker

import (
	"os"

	"golang.org/x/sys/unix"

	"spmvtune/kernels"
)

// isOwn reports whether the sweep brings the source of a kernel, which runs in this process.
func (w *server) isOwn(name string) bool {
	o, ok := kernels.Defined(w.own, name)
	return ok && o.Command == nil
}

// confine keeps a kernel that a sweep defines from filling the disk while it runs: it can't write
// to files, and its folder is a temporary one. An attempt ends the worker. It returns what lifts
// this.
func (w *server) confine(name string) (lift func()) {
	if !w.isOwn(name) {
		return func() {}
	}
	var before unix.Rlimit
	here, err := os.Getwd()
	if err != nil || unix.Getrlimit(unix.RLIMIT_FSIZE, &before) != nil {
		return func() {}
	}
	dir, err := os.MkdirTemp("", "spmvtune-kernel-")
	if err == nil {
		os.Chdir(dir)
	}
	unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 0, Max: before.Max})
	return func() {
		unix.Setrlimit(unix.RLIMIT_FSIZE, &before)
		os.Chdir(here)
		os.RemoveAll(dir)
	}
}
