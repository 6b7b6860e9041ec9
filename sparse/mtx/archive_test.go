package mtx

import (
	"archive/tar"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"spmvtune/sparse/internal/text"
)

// tarOf packs members given as name and text; a text that starts with "->" makes
// a link.
func tarOf(t *testing.T, members ...[2]string) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, m := range members {
		h := &tar.Header{Name: m[0], Mode: 0o644, Size: int64(len(m[1])), Typeflag: tar.TypeReg}
		if to, ok := strings.CutPrefix(m[1], "->"); ok {
			h.Typeflag, h.Linkname, h.Size, m[1] = tar.TypeSymlink, to, 0, ""
		}
		if strings.HasSuffix(m[0], "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(m[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	return b.String()
}

func TestArchive(t *testing.T) {
	const matrix = "%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 7\n"
	const other = "%%MatrixMarket matrix array real general\n2 1\n1\n2\n"
	for _, c := range []struct {
		name    string
		members [][2]string
		want    string // the entries, or the error
	}{
		{"right-hand side first", [][2]string{{"bus/", ""}, {"bus/bus_b.mtx", other}, {"bus/bus.mtx", matrix}},
			"2,1=7"},
		{"here", [][2]string{{"./bus/bus.mtx", matrix}, {"bus/bus_x.mtx", other}}, "2,1=7"},
		{"only others", [][2]string{{"bus/bus_b.mtx", other}, {"bus.mtx", matrix}, {"a/b/b.mtx", matrix},
			{"/bus/bus.mtx", matrix}, {"../bus/bus.mtx", matrix},
			{"/.mtx", matrix}}, "f:1: this tar archive has no matrix"},
		{"link", [][2]string{{"bus/bus.mtx", "->/etc/passwd"}}, "f:1: this tar archive has no matrix"},
		{"web page", [][2]string{{"bus/bus.mtx", "<html>"}}, "f:1: this is a web page"},
		{"empty", [][2]string{{"bus/bus.mtx", ""}}, "f:1: the file is empty"},
		{"bad line", [][2]string{{"bus/bus.mtx", matrix + "x\n"}}, "f:4: more entries"},
	} {
		file := tarOf(t, c.members...)
		for how, file := range map[string]string{"plain": file, "zipped": zipped(file)} {
			m, err := decode(strings.NewReader(file), "f", text.DefaultOptions)
			got := fmt.Sprint(err)
			if err == nil {
				got = entries(m)
			}

			if !strings.HasPrefix(got, c.want) {
				t.Errorf("%s, %s: %s, want %s", c.name, how, got, c.want)
			}
		}
	}
}

// Damage behind the matrix is noticed, too: the checksum is for the whole file.
func TestDamagedArchive(t *testing.T) {
	var content strings.Builder
	fmt.Fprintf(&content, "%%%%MatrixMarket matrix coordinate real general\n999 999 40000\n")
	for k := range 40000 {
		fmt.Fprintf(&content, "%d %d %g\n", k%9+1, k%7+1, 1/float64(k+3))
	}

	archive := tarOf(t, [2]string{"a/a.mtx", content.String()}, [2]string{"a/a_b.mtx", content.String()})
	file := []byte(zipped(archive))
	if _, err := decode(bytes.NewReader(file), "f", text.DefaultOptions); err != nil {
		t.Fatal(err)
	}

	flipped := bytes.Clone(file)
	flipped[len(file)-8] ^= 1 // the checksum
	for want, file := range map[string][]byte{
		"damaged (gzip: invalid ch": flipped,
		"the file was cut off":      file[:len(file)-3],
		"end too early":             []byte(archive[:content.Len()/2]),
		"archive is damaged":        []byte("x" + archive[1:]),
	} {
		if _, err := decode(bytes.NewReader(file), "f", text.DefaultOptions); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
