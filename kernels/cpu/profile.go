// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
)

// CountControl names the variable with the two pipes by which perf is told what to count: where it
// reads commands, and where it says that it has obeyed, with a comma in between.
const CountControl = "SPMVTUNE_PERF_CONTROL"

// Client requests of valgrind and its tool callgrind, see valgrind.h and callgrind.h.
const (
	runningOnValgrind = 0x1001
	callgrind         = 'C'<<24 | 'T'<<16
	dumpStats         = callgrind
	zeroStats         = callgrind + 1
	startCounting     = callgrind + 4
	stopCounting      = callgrind + 5
)

// Profile begins or ends what the profiler counts in which this program runs: callgrind or perf.
// Callgrind's caches are empty when it begins. Unless they are to be cold, the last product that was
// prepared fills them, uncounted.
func (b *Backend) Profile(on, cold bool) error {
	if len(b.pool.cpus) > 1 {
		b.pool.cpus = b.pool.cpus[:1] // workers that wait do not spin: their instructions would be counted
	}
	if control := os.Getenv(CountControl); control != "" {
		return tellPerf(control, on)
	}

	switch {
	case request(&[6]uint64{runningOnValgrind}) == 0:
		return errors.New("no profiler that this program knows runs it")
	case !on:
		request(&[6]uint64{dumpStats})
		request(&[6]uint64{stopCounting})
		return nil
	}
	request(&[6]uint64{startCounting})
	if !cold {
		if err := b.last.Multiply(nil); err != nil {
			return err
		}
	}
	request(&[6]uint64{zeroStats})
	return nil
}

// tellPerf lets perf count, or ends that, and waits until it has obeyed.
func tellPerf(control string, on bool) error {
	commands, answers, _ := strings.Cut(control, ",")
	command := map[bool]string{true: "enable\n", false: "disable\n"}[on]
	if err := exchange(commands, command, answers); err != nil {
		return fmt.Errorf("telling perf what to count: %w", err)
	}
	return nil
}

// exchange writes a line to one pipe and reads one from another.
func exchange(to, line, from string) error {
	in, err := os.OpenFile(to, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(from, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer out.Close()
	if _, err := in.WriteString(line); err != nil {
		return err
	}
	_, err = bufio.NewReader(out).ReadString('\n') // "ack"
	return err
}
