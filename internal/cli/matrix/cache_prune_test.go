// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"testing"
	"time"

	"example.org/spmvtune/internal/testing/testkit"
)

func TestAge(t *testing.T) {
	for text, want := range map[string]time.Duration{"30d": 720 * time.Hour, "1.5d": 36 * time.Hour,
		"12h": 12 * time.Hour, "0s": 0} {
		testkit.Equal(t, testkit.Must(parseAge(text)), want, "%s is", text)
	}
	for _, text := range []string{"", "d", "-1d", "-1h", "NaNd", "1e9d", "30"} {
		testkit.Fails(t, testkit.Err(parseAge(text)), "", "%q is", text)
	}
}
