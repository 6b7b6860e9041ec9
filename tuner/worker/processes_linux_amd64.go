// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// refuseProcesses kills this process when the calling thread, or one that it starts, starts a process: two copies
// of a worker would answer. Threads are allowed. It can't be undone. Where the system has no such filter, package cpu
// still notices fork.
func refuseProcesses() {
	const (
		number, arch, flags = 0, 4, 16 // offsets in seccomp_data
		load                = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal               = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		end                 = unix.BPF_RET | unix.BPF_K
	)
	filter := []unix.SockFilter{
		{Code: load, K: arch},
		{Code: equal, K: unix.AUDIT_ARCH_X86_64, Jf: 8},
		{Code: load, K: number},
		{Code: equal, K: unix.SYS_FORK, Jt: 6},
		{Code: equal, K: unix.SYS_VFORK, Jt: 5},
		{Code: equal, K: unix.SYS_CLONE3, Jt: 5}, // whose flags can't be seen: libraries then take clone
		{Code: equal, K: unix.SYS_CLONE, Jf: 2},
		{Code: load, K: flags},
		{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.CLONE_THREAD, Jf: 1},
		{Code: end, K: unix.SECCOMP_RET_ALLOW},
		{Code: end, K: unix.SECCOMP_RET_KILL_PROCESS},
		{Code: end, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == nil {
		// Without this flag, Linux before 5.16 makes the thread slower, against attacks by speculation.
		const flag = unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW
		_, _, err := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flag,
			uintptr(unsafe.Pointer(&program)))
		if err == unix.EINVAL { // before Linux 4.17, which has no such flag and makes nothing slower
			unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
		}
	}
}
