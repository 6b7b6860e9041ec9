// SPDX-License-Identifier: Apache-2.0

package testkit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Section holds a page of the documentation against the code: it fails the test unless the page at path, relative to the test's folder, has want between begin
// and end. With regen it writes that instead.
func Section(t testing.TB, path, begin, end, want string, regen bool) {
	t.Helper()
	text := Must(os.ReadFile(path))
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s lacks %q, or %q after it", path, begin, end)
	}

	whole := before + begin + want + end + after
	if whole == string(text) {
		return
	}
	if !regen {
		t.Fatalf("%s does not say what the code says: %s writes it", path, command(t, path))
	}
	Succeed(t, os.WriteFile(path, []byte(whole), 0o644))
}

// command is what writes the page at path, from the root of the repository.
func command(t testing.TB, path string) string {
	folder := Must(os.Getwd())
	root := filepath.Dir(filepath.Dir(filepath.Join(folder, path)))
	if relative, err := filepath.Rel(root, folder); err == nil {
		folder = "./" + filepath.ToSlash(relative)
	}
	return "go test " + folder + " -run " + t.Name() + " -regen"
}
