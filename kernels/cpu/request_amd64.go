// SPDX-License-Identifier: Apache-2.0

package cpu

// request asks something of valgrind, in which this program runs. Outside of it the answer is 0.
//
//go:noescape
func request(args *[6]uint64) (answer uint64)
