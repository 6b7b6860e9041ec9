// SPDX-License-Identifier: Apache-2.0

package file

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
)

// Only a regular file is read.
func TestRead(t *testing.T) {
	_, err := Read(t.Context(), filepath.Join(t.TempDir(), "none.mtx"), DefaultOptions)
	testkit.Is(t, err, os.ErrNotExist, "a missing file")
	dir := t.TempDir()
	testkit.Fails(t, testkit.Err(Read(t.Context(), dir, DefaultOptions)), dir, "folder")
}

const (
	mtxFile = "%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 7\n"
	rbFile  = "title\n3 1 1 1\nrua 2 2 1 0\n(3I2) (3I2) (3F4.0)\n 1 2 2\n 2\n  7.\n"
)

// The content says what a file is where it can, and the name where it can't.
func TestFormatOf(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"A.mtx", mtxFile, "coordinate"},
		{"A.rb", mtxFile, "coordinate"},
		{"A.rb", rbFile, "rutherford-boeing"},
		{"A.mtx", rbFile, "rutherford-boeing"},
		{"A.txt", "5 6\n6 7\n", "edge-list"},
		{"A", "# Nodes: 3 Edges: 2\n5 6\n6 7\n", "edge-list"},
		{"A.mtx", "# notes\n5 6\n6 7\n", "A.mtx:1: a Matrix Market file starts with"},
		{"A.txt", "Some notes\n", "A.txt:1: \"Some notes\": vertex \"Some\" is not a whole number"},
		{"A.rb", "title\n", "A.rb:2: the file ends before line 2"},
		{"A", "title\n", "A:1: a Matrix Market file starts with"},
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
		testkit.Succeed(t, w.Close())

		m, err := Decode(strings.NewReader(gzipped(archive.String())), "A.tar.gz", DefaultOptions)
		got := fmt.Sprint(err)
		if err == nil {
			got = m.Format
		}

		testkit.Check(t, strings.HasPrefix(got, c.want), "%s: %s, want %s", c.member, got, c.want)
	}
}

func gzipped(content string) string {
	var b strings.Builder
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	z.Write([]byte(content))
	z.Close()
	return b.String()
}

// TestRefuseMalformedFiles holds every broken file to an error that names the
// file and a line, under every option.
func TestRefuseMalformedFiles(t *testing.T) {
	folder := sharedFolder(t, "malformed")
	for _, want := range index(t, folder) {
		for _, opt := range []Options{DefaultOptions, {Expand: false}, {Expand: true, Complex: RealPart}} {
			path := filepath.Join(folder, want["file"])
			m, err := Read(t.Context(), path, opt)
			var e *Error
			switch {
			case err == nil:
				t.Errorf("%s (%s): read as %v with %+v", want["file"], want["what_is_wrong"], m.A, opt)
			case !errors.As(err, &e):
				t.Errorf("%s: %v is not an *Error", want["file"], err)
			case e.File != path || e.Line < 1 || e.Reason == "" || !strings.HasPrefix(err.Error(), path+":"):
				t.Errorf("%s: incomplete error %#v", want["file"], e)
			}

			if opt.Complex != "" {
				t.Logf("%v", strings.TrimPrefix(err.Error(), folder+"/"))
			}
		}
	}
}

func TestNames(t *testing.T) {
	for path, want := range map[string]struct {
		matters, stem string
		known         bool
	}{
		"a/B.mtx":    {".mtx", "B", true},
		"B.MTX.gz":   {".mtx", "B.MTX.gz", false},
		"B.x.mm.gz":  {".mm", "B.x", true},
		"b/B.tar.gz": {".tar", "B", true},
		"B.tgz":      {".tgz", "B", true},
		"B":          {"", "B", false},
		".mtx":       {".mtx", ".mtx", false},
	} {
		testkit.Equal(t, NameThatMatters(path), want.matters, "of %s matters", path)
		if stem, known := Stem(path); stem != want.stem || known != want.known {
			t.Errorf("the stem of %s is %q, %v", path, stem, known)
		}
	}
}

// The size is known from the first lines: what follows may even be cut off.
func TestReadSize(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		f := testkit.Must(os.Create(path))
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
		testkit.Equal(t, testkit.Must(ReadSize(write(name, content), Options{})), want, "%s", name)
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
	const step = 8 << 10 // how much of a header is read at a time
	for _, n := range []int{step - len(sizes) + 1, step - 5, step, step + 1, 40 * step, 1<<20 + 5} {
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
		testkit.Check(t, err != nil && err.Error() == same.Error(), "%s: %v, want %v", name, err, same)
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
	testkit.Succeed(t, errors.Join(w.Close(), z.Close()))

	path := filepath.Join(t.TempDir(), "a.tar.gz")
	testkit.Succeed(t, os.WriteFile(path, archive.Bytes(), 0o644))
	testkit.Equal(t, testkit.Must(ReadSize(path, DefaultOptions)), Size{Rows: 5, Cols: 5, Entries: 7, Symmetric: true}, "size")
}

// Lines without entries end a file at some time: packed, gigabytes of them take no room.
func TestEmptyLinesEnd(t *testing.T) {
	for name, head := range map[string]string{
		"m.mtx": "%%MatrixMarket matrix coordinate real general\n130000000 130000000 3000000\n", "m.txt": "# SNAP\n", "n.txt": "1 2\n",
	} {
		r := io.MultiReader(strings.NewReader(head), blanks{})
		testkit.Fails(t, testkit.Err(Decode(r, name, DefaultOptions)), "entry", name)
	}
}

// blanks is a text of blank lines that does not end.
type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '\n'
	}
	return len(p), nil
}
