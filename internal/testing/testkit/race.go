// SPDX-License-Identifier: Apache-2.0

//go:build race

package testkit

// RaceDetector says that the race detector watches this program. It does not see into others that a test starts.
const RaceDetector = true
