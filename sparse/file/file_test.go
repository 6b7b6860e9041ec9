package file

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Only a regular file is read.
func TestRead(t *testing.T) {
	if _, err := Read(t.Context(), filepath.Join(t.TempDir(), "none.mtx"), DefaultOptions); !errors.Is(err,
		os.ErrNotExist) {
		t.Errorf("missing file: got %v", err)
	}
	dir := t.TempDir()
	if _, err := Read(t.Context(), dir, DefaultOptions); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("folder: got %v", err)
	}
}

const (
	mtxFile = "%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 7\n"
	rbFile  = "title\n3 1 1 1\nrua 2 2 1 0\n(3I2) (3I2) (3F4.0)\n 1 2 2\n 2\n  7.\n"
)

// The content says what a file is where it can, and the name where it can't.
func TestFormatOf(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"A.mtx", mtxFile, "coordinate"},
		{"A", mtxFile, "coordinate"},
		{"A.rb", mtxFile, "coordinate"},
		{"A.rb", rbFile, "rutherford-boeing"},
		{"A.RB.gz", rbFile, "rutherford-boeing"},
		{"A.rua", rbFile, "rutherford-boeing"},
		{"A.mtx", rbFile, "rutherford-boeing"},
		{"A.txt", "5 6\n6 7\n", "edge-list"},
		{"A", "# Nodes: 3 Edges: 2\n5 6\n6 7\n", "edge-list"},
		{"A.txt", mtxFile, "coordinate"},
		{"A.TXT.gz", "\ufeff# FromNodeId\n", "edge-list"},
		{"A.mtx", "# notes\n5 6\n6 7\n", "A.mtx:1: a Matrix Market file starts with"},
		{"A.txt", "Some notes\n", "A.txt:1: \"Some notes\": \"Some\" is not the number of a vertex"},
		{"A.rb", "title\n", "A.rb:2: the file ends before line 2"},
		{"A", "title\n", "A:1: a Matrix Market file starts with"},
		{"A.mtx", "3 3 1\n", "A.mtx:1: a Matrix Market file starts with"},
	} {
		for how, content := range map[string]string{"plain": c.content, "gzipped": gzipped(c.content)} {
			m, err := Decode(strings.NewReader(content), c.name, DefaultOptions)
			got := fmt.Sprint(err)
			if err == nil {
				got = m.Format
			}

			if !strings.HasPrefix(got, c.want) {
				t.Errorf("%s %q, %s: %s, want %s", c.name, c.content[:6], how, got, c.want)
			}
		}
	}
}

// An archive of the collection has the matrix in one of the formats, whatever the
// archive is called.
func TestArchives(t *testing.T) {
	for _, c := range []struct{ member, content, want string }{
		{"bus/bus.mtx", mtxFile, "coordinate"},
		{"bus/bus.rb", rbFile, "rutherford-boeing"},
		{"bus/bus.txt", "5 6\n", "edge-list"},
		{"bus/bus.rb", "title\n", "A.tar.gz:2: the file ends before line 2"},
		{"bus/bus_b.rb", rbFile, "A.tar.gz:1: this tar archive has no matrix, a file NAME/NAME.mtx or .rb or .txt"},
		{"bus/bus.csv", mtxFile, "A.tar.gz:1: this tar archive has no matrix"},
	} {
		var archive strings.Builder
		w := tar.NewWriter(&archive)
		w.WriteHeader(&tar.Header{Name: "bus/bus_b.mtx", Mode: 0o644, Size: 1, Typeflag: tar.TypeReg})
		w.Write([]byte("x"))
		w.WriteHeader(&tar.Header{Name: c.member, Mode: 0o644, Size: int64(len(c.content)), Typeflag: tar.TypeReg})
		w.Write([]byte(c.content))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}

		m, err := Decode(strings.NewReader(gzipped(archive.String())), "A.tar.gz", DefaultOptions)
		got := fmt.Sprint(err)
		if err == nil {
			got = m.Format
		}

		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", c.member, got, c.want)
		}
	}
}

func gzipped(content string) string {
	var b strings.Builder
	z := gzip.NewWriter(&b)
	z.Write([]byte(content))
	z.Close()
	return b.String()
}
