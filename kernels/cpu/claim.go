package cpu

import (
	"fmt"
	"io"
	"net"
	"time"
)

// A claim holds processors of this machine against other processes of this program,
// however a scheduler started them, until it is released or the process ends.
//
// Note: a processor is held by a socket of a name in Linux's abstract space, which one process
// at a time can bind. No file can be left behind, and none is invisible where each job has its
// own /tmp.
type claim []io.Closer

func (c claim) release() {
	for _, held := range c {
		held.Close()
	}
}

// claimSpace begins the names of claims. A test has one of its own.
var claimSpace = "spmvtune"

// claimCPUs claims the first n of cpus that are free, and returns them in order; nil if fewer
// are free, or this system has no such sockets.
func claimCPUs(space string, cpus []int, n int) ([]int, claim) {
	// A worker that has just ended may still hold its claim.
	for range 4 {
		var got []int
		var held claim
		for _, cpu := range cpus {
			if len(got) == n {
				break
			}
			if l, err := net.Listen("unix", fmt.Sprintf("@%s/cpu/%d", space, cpu)); err == nil {
				got, held = append(got, cpu), append(held, l)
			}
		}

		if len(got) == n {
			return got, held
		}
		held.release()
		time.Sleep(250 * time.Millisecond)
	}

	return nil, nil
}

// byCore reorders cpus so that the threads of a core stand together.
func byCore(cpus []int, siblings func(cpu int) []int) []int {
	var ordered []int
	seen := map[int]bool{}
	usable := map[int]bool{}
	for _, cpu := range cpus {
		usable[cpu] = true
	}

	for _, cpu := range cpus {
		for _, thread := range append([]int{cpu}, siblings(cpu)...) {
			if usable[thread] && !seen[thread] {
				seen[thread] = true
				ordered = append(ordered, thread)
			}
		}
	}

	return ordered
}
