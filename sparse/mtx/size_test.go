package mtx

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The size is known from the first lines: what follows may even be cut off.
func TestReadSize(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if strings.HasSuffix(name, ".gz") {
			z := gzip.NewWriter(f)
			defer z.Close()
			z.Write([]byte(text))
			return path
		}
		f.WriteString(text)
		return path
	}
	check := func(name, text string, want Size) {
		t.Helper()
		got, err := ReadSize(write(name, text), Options{})
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	const general = "%%MatrixMarket matrix coordinate real general\n% a comment\n\n30 40 1000\n1 1 "
	check("general.mtx", general, Size{30, 40, 1000, false})
	check("packed.mtx.gz", general, Size{30, 40, 1000, false})
	check("symmetric.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n5 5 7\n", Size{5, 5, 7, true})
	check("small.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 0", Size{3, 4, 0, false})
	// Headers that end, or have a size line, where the beginning does.
	const banner, sizes = "%%MatrixMarket matrix coordinate real general\n", "300 400 100000\n"
	for _, n := range []int{usualHeader - len(sizes) + 1, usualHeader - 5, usualHeader, usualHeader + 1, 40 * usualHeader, 1<<20 + 5} {
		comment := []byte("%" + strings.Repeat("c", n-len(banner)-2) + "\n")
		for i := 63; i < len(comment)-65; i += 64 {
			comment[i], comment[i+1] = '\n', '%'
		}
		text := banner + string(comment) + sizes + "1 1 1\n"
		check("long.mtx", text, Size{300, 400, 100000, false})
		check("long.mtx.gz", text, Size{300, 400, 100000, false})
	}
	check("array.mtx", "%%MatrixMarket matrix array real general\n3 4\n", Size{3, 4, 12, false})

	for name, text := range map[string]string{"empty.mtx": "", "page.mtx": "<html>", "complex.mtx": "%%MatrixMarket matrix coordinate complex general\n3 4 0\n", "sizes.mtx": "%%MatrixMarket matrix coordinate real general\n3 4\n"} {
		path := write(name, text)
		_, err := ReadSize(path, Options{})
		_, same := Read(t.Context(), path, Options{})
		if err == nil || err.Error() != same.Error() {
			t.Errorf("%s: %v, want %v", name, err, same)
		}
	}
}
