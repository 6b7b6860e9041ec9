package file

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/sparse/internal/text"
)

// The size is known from the first lines: what follows may even be cut off.
func TestReadSize(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if strings.HasSuffix(name, ".gz") {
			z := gzip.NewWriter(f)
			defer z.Close()
			z.Write([]byte(content))
			return path
		}

		f.WriteString(content)
		return path
	}

	check := func(name, content string, want Size) {
		t.Helper()
		got, err := ReadSize(write(name, content), Options{})
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}

	const general = "%%MatrixMarket matrix coordinate real general\n% a comment\n\n30 40 1000\n1 1 "
	check("general.mtx", general, Size{Rows: 30, Cols: 40, Entries: 1000, Symmetric: false})
	check("packed.mtx.gz", general, Size{Rows: 30, Cols: 40, Entries: 1000, Symmetric: false})
	check("symmetric.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n5 5 7\n",
		Size{Rows: 5, Cols: 5, Entries: 7, Symmetric: true})
	check("small.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 0",
		Size{Rows: 3, Cols: 4, Entries: 0, Symmetric: false})

	// Headers that end, or have a size line, where the beginning does.
	const banner, sizes = "%%MatrixMarket matrix coordinate real general\n", "300 400 100000\n"
	for _, n := range []int{text.UsualHeader - len(sizes) + 1, text.UsualHeader - 5, text.UsualHeader,
		text.UsualHeader + 1, 40 * text.UsualHeader, 1<<20 + 5} {
		comment := []byte("%" + strings.Repeat("c", n-len(banner)-2) + "\n")
		for i := 63; i < len(comment)-65; i += 64 {
			comment[i], comment[i+1] = '\n', '%'
		}
		content := banner + string(comment) + sizes + "1 1 1\n"
		check("long.mtx", content, Size{Rows: 300, Cols: 400, Entries: 100000, Symmetric: false})
		check("long.mtx.gz", content, Size{Rows: 300, Cols: 400, Entries: 100000, Symmetric: false})
	}

	check("half.rb", "title\n3 1 1 1\nrsa 3 3 5 0\n(4I2) (5I2) (5F4.0)\n 1 ",
		Size{Rows: 3, Cols: 3, Entries: 5, Symmetric: true})
	check("counted.txt", "# Nodes: 30 Edges: 400\n1 ", Size{Rows: 30, Cols: 30, Entries: 400})
	check("uncounted.txt.gz", "# edges\n"+strings.Repeat("7 5\n5 7\n7 900\n", 4000),
		Size{Rows: 3, Cols: 3, Entries: 12000})
	check("array.mtx", "%%MatrixMarket matrix array real general\n3 4\n",
		Size{Rows: 3, Cols: 4, Entries: 12, Symmetric: false})

	for name, content := range map[string]string{"empty.mtx": "", "page.mtx": "<html>",
		"complex.mtx": "%%MatrixMarket matrix coordinate complex general\n3 4 0\n",
		"sizes.mtx":   "%%MatrixMarket matrix coordinate real general\n3 4\n"} {
		path := write(name, content)
		_, err := ReadSize(path, Options{})
		_, same := Read(t.Context(), path, Options{})
		if err == nil || err.Error() != same.Error() {
			t.Errorf("%s: %v, want %v", name, err, same)
		}
	}
}

// The size of a matrix far down in an archive is found, too.
func TestReadSizeInArchive(t *testing.T) {
	var archive bytes.Buffer
	z := gzip.NewWriter(&archive)
	w := tar.NewWriter(z)
	for _, m := range [][2]string{
		{"a/a_b.mtx", strings.Repeat("% a long comment\n", 200_000)},
		{"a/a.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n5 5 7\n"},
	} {
		w.WriteHeader(&tar.Header{Name: m[0], Mode: 0o644, Size: int64(len(m[1])), Typeflag: tar.TypeReg})
		w.Write([]byte(m[1]))
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}

	path := filepath.Join(t.TempDir(), "a.tar.gz")
	if err := os.WriteFile(path, archive.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadSize(path, DefaultOptions); err != nil ||
		got != (Size{Rows: 5, Cols: 5, Entries: 7, Symmetric: true}) {
		t.Errorf("got %+v, %v", got, err)
	}
}
