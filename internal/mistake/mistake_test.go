package mistake

import (
	"strings"
	"testing"
)

// A panic in a goroutine is an error of one line that names the line.
func TestCaught(t *testing.T) {
	t.Setenv("GOTRACEBACK", "")
	var list []int
	err := Caught(func() error { list[len(list)]++; return nil })()
	if err == nil || !strings.Contains(err.Error(), "index out of range") ||
		!strings.Contains(err.Error(), "mistake_test.go:") || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
}
