package worker

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

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
	dir := ownFolder(os.Getpid())
	os.RemoveAll(dir)
	if os.Mkdir(dir, 0o700) == nil {
		os.Chdir(dir)
	}
	unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 0, Max: before.Max})
	return func() {
		unix.Setrlimit(unix.RLIMIT_FSIZE, &before)
		os.Chdir(here)
		os.RemoveAll(dir)
	}
}

// ownFolder is where kernels that a sweep defines run in a worker with this process. Whoever outlives the worker
// removes it.
func ownFolder(pid int) string {
	return filepath.Join(os.TempDir(), "spmvtune-kernel-"+strconv.Itoa(pid))
}

// patience is how long OpenMP's threads, say, may wait for work by computing, after a kernel has returned.
const patience = 500 * time.Millisecond

// goesOn reports whether other threads of this process go on computing, which would disturb the next trial. It waits
// until they do not.
func goesOn() bool {
	for start := time.Now(); time.Since(start) < patience; time.Sleep(time.Millisecond) {
		if running() <= 1 { // this one
			return false
		}
	}
	return true
}

// running is how many threads of this process compute, or wait for nothing but a core.
func running() (n int) {
	files, _ := filepath.Glob("/proc/self/task/*/stat")
	for _, name := range files {
		text, _ := os.ReadFile(name)
		if _, state, _ := strings.Cut(string(text), ") "); strings.HasPrefix(state, "R") {
			n++
		}
	}
	return n
}
