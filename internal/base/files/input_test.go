package files

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe without a writer, and a device without an end, are refused at once; a long file is,
// after as many bytes as may be.
func TestReadFile(t *testing.T) {
	pipe, long := filepath.Join(t.TempDir(), "pipe"), filepath.Join(t.TempDir(), "long")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(long, make([]byte, 1001), 0o666); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		pipe: "not a regular file: save its content to a file first", "/dev/zero": "not a regular file", long: "larger than 1 kB",
	} {
		if _, err := ReadFile(path, 1000); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if text, err := ReadFile(long, 1001); err != nil || len(text) != 1001 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}
