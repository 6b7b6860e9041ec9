// SPDX-License-Identifier: Apache-2.0

//go:build !linux || !amd64

package worker

// refuseProcesses does nothing: package cpu notices fork.
func refuseProcesses() {}
