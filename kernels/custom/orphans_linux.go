// SPDX-License-Identifier: Apache-2.0

package custom

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// subreaper makes this process the parent of what a program leaves behind when it ends.
var subreaper = sync.OnceFunc(func() { unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) })

// allowed are the processors that this process had before it pinned threads to some.
var allowed = func() (set unix.CPUSet) {
	unix.SchedGetaffinity(0, &set)
	return set
}()

// start starts a program that leaves its children to this process if it is to, and may use all of this process's
// processors, to some of which the calling thread may be pinned.
func start(cmd *exec.Cmd, alone bool) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if alone {
		subreaper()
	}
	var pinned unix.CPUSet
	if unix.SchedGetaffinity(0, &pinned) == nil && unix.SchedSetaffinity(0, &allowed) == nil {
		defer unix.SchedSetaffinity(0, &pinned)
	}
	return cmd.Start()
}

// killOrphans kills what a program has left behind, also what left its process group. This process
// must have no other children.
func killOrphans() {
	for range 100 { // what is killed leaves children of its own
		list := children()
		if len(list) == 0 {
			return
		}
		for _, pid := range list {
			syscall.Kill(pid, syscall.SIGKILL)
			syscall.Wait4(pid, nil, 0, nil)
		}
	}
}

// children are the processes whose parent is a thread of this one.
func children() (list []int) {
	paths, _ := filepath.Glob("/proc/self/task/*/children")
	for _, path := range paths {
		text, _ := os.ReadFile(path)
		for _, word := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(word); err == nil {
				list = append(list, pid)
			}
		}
	}
	return list
}
