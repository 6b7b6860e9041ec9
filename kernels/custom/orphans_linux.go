package custom

import (
	"fmt"
	"os"
	"os/exec"
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

// start starts a program that dies with this process, leaves its children to it, and may use all of
// its processors, to some of which the calling thread may be pinned.
func start(cmd *exec.Cmd) error {
	subreaper()
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
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

// children are the processes whose parent this one is.
func children() (list []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		after := string(text[strings.LastIndex(string(text), ")")+1:]) // the name may be anything
		if f := strings.Fields(after); len(f) > 1 && f[1] == strconv.Itoa(os.Getpid()) {
			list = append(list, pid)
		}
	}
	return list
}
