package configs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// On a node that does not see all files, the sweep is still whole.
func TestParseOnNode(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.mtx"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	const text = "name = \"s\"\n[[matrix]]\npath = \"a.mtx\"\n[[matrix]]\npath = \"gone/b.mtx\"\n[[kernel]]\n" +
		"name = \"cpu_csr\"\n"
	if _, err := ParseIn("elsewhere/s.toml", dir, []byte(text)); err == nil {
		t.Error("a sweep with a matrix that is not there was taken")
	}

	s, err := ParseOnNode("elsewhere/s.toml", dir, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"a.mtx", "gone/b.mtx"} {
		if got := s.Matrices[i].Path; got != filepath.Join(dir, want) {
			t.Errorf("matrix %d is %s", i, got)
		}
	}

	if s.Matrices[1].Name != "b" {
		t.Errorf("it is called %s", s.Matrices[1].Name)
	}
	if _, err := ParseOnNode("s.toml", dir, []byte(strings.Replace(text, "path", "pth", 1))); err == nil {
		t.Error("a mistake was taken")
	}
}
