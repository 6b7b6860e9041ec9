// SPDX-License-Identifier: Apache-2.0

package command

import (
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
)

// What a database keeps of a build names its commit where its version doesn't.
func TestBuildInWords(t *testing.T) {
	b := Build{Version: "0.1.0", Commit: "1c9a10ce0f3b77", Go: "go1.26.8", System: "linux/amd64", Tags: "cuda"}
	testkit.Equal(t, b.String(), "0.1.0 (1c9a10ce0f3b, go1.26.8, linux/amd64, cuda)", "a build")
	b = Build{Version: "0.1.0-3-g1c9a10ce", Commit: "1c9a10ce0f3b77", Go: "go1.26.8", System: "linux/amd64"}
	testkit.Equal(t, b.String(), "0.1.0-3-g1c9a10ce (go1.26.8, linux/amd64)", "one whose version has the commit")
}
