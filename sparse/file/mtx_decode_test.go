// SPDX-License-Identifier: Apache-2.0

package file

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/internal/testing/triplets"
)

func TestMTXDecode(t *testing.T) {
	const banner = "%%MatrixMarket matrix coordinate real general\n"
	realPart := Options{Expand: true, Complex: RealPart}
	for _, c := range []struct {
		name, content string
		opt           Options
		want          string
	}{
		{"unsorted, blank lines, comments", banner + "% c\n\n 2 3 3 \n\n2 3 5\n% in between\n\t1\t1\t-1.5e1\r\n2 1 +.5",
			DefaultOptions, "1,1=-15 2,1=0.5 2,3=5"},
		{"case, spacing, byte order mark",
			"\ufeff  %%MATRIXmarket\tMatrix  COORDINATE Double  GENERAL \r\n1 1 1\r\n1 1 2\r\n", DefaultOptions,
			"1,1=2"},
		{"duplicates", banner + "2 2 4\n2 2 1\n1 1 5\n2 2 2\n2 2 4\n", DefaultOptions, "1,1=5 2,2=7"},
		{"explicit zero stays", banner + "1 2 1\n1 2 0\n", DefaultOptions, "1,2=0"},
		{"nothing", banner + "0 0 0\n", DefaultOptions, ""},
		{"infinite and too large", banner + "1 4 4\n1 1 inf\n1 2 -Infinity\n1 3 NaN\n1 4 1e999\n", DefaultOptions,
			"1,1=+Inf 1,2=-Inf 1,3=NaN 1,4=+Inf"},
		{"Fortran exponent", banner + "1 2 2\n1 1 1.5D+02\n1 2 -2d-1\n", DefaultOptions, "1,1=150 1,2=-0.2"},
		{"symmetric", "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n3 1 2\n1 2 3\n",
			DefaultOptions, "1,1=1 1,2=3 1,3=2 2,1=3 3,1=2"},
		{"symmetric, not expanded", "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n1 1 1\n3 1 2\n",
			Options{}, "1,1=1 3,1=2"},
		{"skew-symmetric", "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 2\n2 1 3\n2 2 9\n",
			DefaultOptions, "1,2=-3 2,1=3 2,2=9"},
		{"hermitian", "%%MatrixMarket matrix coordinate complex Hermitian\n2 2 2\n1 1 4 0\n2 1 3 7\n", realPart,
			"1,1=4 1,2=3 2,1=3"},
		{"complex skew-symmetric", "%%MatrixMarket matrix coordinate complex skew-symmetric\n2 2 1\n2 1 3 7\n",
			realPart, "1,2=-3 2,1=3"},
		{"array", "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n% c\n4\n\n0\n6\n", DefaultOptions,
			"1,1=1 1,2=3 1,3=0 2,1=2 2,2=4 2,3=6"},
		{"array laid out as a table", "%%MatrixMarket matrix array integer general\n2 2\n1 2\n3 4", DefaultOptions,
			"1,1=1 1,2=3 2,1=2 2,2=4"},
		{"array skew-symmetric", "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n", DefaultOptions,
			"1,2=-1 1,3=-2 2,1=1 2,3=-3 3,1=2 3,2=3"},
		{"array skew-symmetric 1×1", "%%MatrixMarket matrix array real skew-symmetric\n1 1\n", DefaultOptions, ""},
		{"array complex", "%%MatrixMarket matrix array complex general\n1 2\n1 9\n2 9\n", realPart, "1,1=1 1,2=2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var packed bytes.Buffer
			z := gzip.NewWriter(&packed)
			io.WriteString(z, c.content)
			z.Close()

			for how, r := range map[string]io.Reader{
				"at once":      strings.NewReader(c.content),
				"byte by byte": iotest.OneByteReader(strings.NewReader(c.content)),
				"gzipped":      &packed,
			} {
				m := testkit.Must(decodeMTX(r, "file", c.opt))
				testkit.Succeed(t, m.A.Validate())

				testkit.Equal(t, triplets.Text(m.A, 1), c.want, "%s: entries", how)
			}
		})
	}
}

func TestMTXDecodeSaysWhatItRead(t *testing.T) {
	m, err := decodeMTX(strings.NewReader("%%MatrixMarket matrix coordinate double symmetric\n%title\n% by us\n3 3 4\n"+
		"1 1 nan\n2 1 1\n1 2 1\n3 3 1\n"), "file", DefaultOptions)
	testkit.Succeed(t, err)

	m.A = nil
	want := Matrix{Format: "coordinate", Field: "real", Symmetry: "symmetric", Comment: "title\n by us",
		Declared: 4, Duplicates: 2, NonFinite: 1, Odd: "there are entries on both sides of the diagonal, " +
			"which stand for two each, and 2 entries were added to others"}
	testkit.Equal(t, *m, want, "it read")
}

// Entries that contradict the symmetry are read, and said to be odd; a triangle in pieces on either side is
// not.
func TestMTXDecodeOdd(t *testing.T) {
	for file, want := range map[string]string{
		"real symmetric\n3 3 2\n1 3 1\n3 1 1\n":        "both sides of the diagonal, which stand for two each, and 2 entries",
		"pattern symmetric\n3 3 2\n2 3\n3 2\n":         "both sides of the diagonal",
		"real symmetric\n3 3 3\n1 3 1\n2 1 1\n2 2 1\n": "",
		"real symmetric\n3 3 2\n3 1 1\n3 1 1\n":        "",
		"real general\n3 3 2\n1 3 1\n3 1 1\n":          "",
		"real skew-symmetric\n3 3 2\n1 1 1\n2 1 1\n":   "the diagonal of a skew-symmetric matrix is 0, and here has 1 entry that is not",
		"real skew-symmetric\n3 3 2\n1 1 0\n2 1 1\n":   "",
	} {
		m := testkit.Must(decodeMTX(strings.NewReader("%%MatrixMarket matrix coordinate "+file), "f", DefaultOptions))
		testkit.Check(t, (want != "" || m.Odd == "") && strings.Contains(m.Odd, want), "%q is odd in %q, want %q", file, m.Odd, want)
	}
}

func TestMTXDecodeRefuses(t *testing.T) {
	const (
		coo = "%%MatrixMarket matrix coordinate real general\n"
		pat = "%%MatrixMarket matrix coordinate pattern general\n"
		arr = "%%MatrixMarket matrix array real general\n"
	)

	for _, c := range []struct{ name, content, want string }{
		{"empty file", "", "f.mtx:1: the file is empty"},
		{"web page", "\n <!DOCTYPE html><html>", "f.mtx:1: this is a web page"},
		{"LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
			"f.mtx:1: this is a Git LFS pointer"},
		{"no banner", "3 3 1\n1 1 1\n",
			`f.mtx:1: a Matrix Market file starts with a line such as "%%MatrixMarket matrix coordinate real general", not "3 3 1"`},
		{"CR line ends", strings.ReplaceAll(coo+"1 1 1\n1 1 1\n", "\n", "\r"), "f.mtx:1: lines end in CR alone"},
		{"vector", "%%MatrixMarket vector coordinate real general\n4 3\n", `f.mtx:1: unknown object "vector": it must be matrix`},
		{"pattern array", "%%MatrixMarket matrix array pattern general\n1 1\n1\n",
			"f.mtx:1: an array can't be a pattern"},
		{"skew-symmetric pattern", "%%MatrixMarket matrix coordinate pattern skew-symmetric\n1 1 0\n",
			"f.mtx:1: a pattern can't be skew-symmetric"},
		{"complex", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n",
			`f.mtx:1: the values are complex, and kernels here multiply real matrices; complex = "real-part"`},
		{"no sizes", coo + "% c\n", "f.mtx:3: the file ends before its size line"},
		{"unknown format", "%%MatrixMarket matrix list real general\n", `unknown format "list": it must be coordinate or array`},
		{"unknown field", "%%MatrixMarket matrix array x general\n", `unknown field "x": it must be real, integer, pattern or complex`},
		{"two sizes", coo + "3 3\n", "f.mtx:2: 2 sizes in this line; the size line in coordinate format has three: rows, columns and entries"},
		{"negative size", coo + "-3 3 1\n",
			`f.mtx:2: size "-3" is not a whole number from 0 on; the size line in coordinate format has three: rows`},
		{"size beyond int32", coo + "3 2147483648 1\n", `f.mtx:2: size "2147483648" is too large`},
		{"array beyond int32", arr + "65536 65536\n1\n", "f.mtx:2: 65536×65536 with 4 294 967 296 entries: 32-bit indices hold no more"},
		{"symmetric rectangle", "%%MatrixMarket matrix coordinate real symmetric\n3 4 0\n",
			"f.mtx:2: a symmetric matrix must be square"},
		{"entries in nothing", coo + "0 1 1\n", "f.mtx:2: 1 entry in a matrix of 0×1"},
		{"row 0", coo + "3 3 1\n0 1 1\n", `f.mtx:3: "0 1 1": row 0: indices count from 1`},
		{"row outside", coo + "3 3 2\n1 1 1\n4 1 1\n",
			`f.mtx:4: "4 1 1": row 4 lies outside the matrix of 3×3 (line 2)`},
		{"huge index", coo + "3 3 1\n1 99999999999999999999 1\n", "column 99999999999999999999 lies outside"},
		{"negative index", coo + "3 3 1\n-1 1 1\n", `row "-1" is not a whole number from 1 on`},
		{"no value", coo + "3 3 1\n1 1\n", "f.mtx:3: \"1 1\": the line has 2 words; an entry is row, column and value, since line 1 says real"},
		{"word for a value", coo + "3 3 1\n1 1 x\n", `value "x" is not a number`},
		{"hexadecimal value", coo + "3 3 1\n1 1 0x1p3\n", `value "0x1p3" is not a number`},
		{"glued exponent", coo + "3 3 1\n1 1 1e\n", `value "1e" is not a number`},
		{"content behind", coo + "3 3 1\n1 1 1 2 3\n", "the line has 5 words"},
		{"value in a pattern", pat + "3 3 1\n1 1 1\n", "the line has 3 words; an entry is row and column, since line 1 says pattern"},
		{"imaginary part", coo + "3 3 1\n1 1 1 0\n", "the line has 4 words; an entry is row, column and value, since line 1 says " +
			"real; if all lines have 2, 3 or 4 words, line 1 must say pattern, real or complex"},
		{"too many", coo + "3 3 1\n1 1 1\n\n% c\n2 2 2\n", "f.mtx:6: there are more entries than the 1 of line 2"},
		{"too few", coo + "3 3 2\n1 1 1\n\n", "f.mtx:5: the file ends after 1 of 2 entries"},
		{"too few values", arr + "2 2\n1\n2\n3", "f.mtx:6: the file ends after 3 of 4 values"},
		{"too many values", arr + "1 1\n1\n2\n", "f.mtx:4: more values than the 1 of a general array of 1×1 (line 2); where a value has two numbers, line 1 must say complex"},
		{"array value", arr + "1 1\nq\n", `f.mtx:3: value "q" is not a number`},
		{"long line", coo + strings.Repeat("1 ", 1<<20), "f.mtx:2: this line is longer than"},
		{"mostly empty rows", coo + "2147483647 2147483647 1\n1 1 1\n",
			"f.mtx:2: 2147483647×2147483647 with 1 entry: nearly all rows"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := decodeMTX(strings.NewReader(c.content), "f.mtx", DefaultOptions)
			e := new(Error)
			testkit.Check(t, errors.As(err, &e) && e.File == "f.mtx", "%#v is not an *Error for f.mtx", err)

			testkit.Fails(t, err, c.want)
			if strings.HasSuffix(c.want, "(line 2)") && !strings.HasSuffix(err.Error(), c.want) {
				t.Errorf("%v says more than %s", err, c.want)
			}
		})
	}
}

func TestMTXDecodeChecksOptions(t *testing.T) {
	_, err := decodeMTX(strings.NewReader(""), "f", Options{Complex: "abs"})
	testkit.Fails(t, err, RealPart, "an unknown option")
	broken := errors.New("disk on fire")
	testkit.Is(t, testkit.Err(decodeMTX(iotest.ErrReader(broken), "f", DefaultOptions)), broken, "a broken reader")
}

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
		testkit.Succeed(t, w.WriteHeader(h))
		testkit.Must(w.Write([]byte(m[1])))
	}
	testkit.Succeed(t, w.Close())

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
		{"bad line", [][2]string{{"bus/bus.mtx", matrix + "x\n"}}, "f:4: \"x\": row"},
	} {
		file := tarOf(t, c.members...)
		for how, file := range map[string]string{"plain": file, "zipped": gzipped(file)} {
			m, err := decodeMTX(strings.NewReader(file), "f", DefaultOptions)
			got := fmt.Sprint(err)
			if err == nil {
				got = triplets.Text(m.A, 1)
			}

			testkit.Check(t, strings.HasPrefix(got, c.want), "%s, %s: %s, want %s", c.name, how, got, c.want)
		}
	}
}

// Damage is noticed, also behind the matrix: the checksum is for the whole file.
func TestMTXDamaged(t *testing.T) {
	var content strings.Builder
	fmt.Fprintf(&content, "%%%%MatrixMarket matrix coordinate real general\n999 999 40000\n")
	for k := range 40000 {
		fmt.Fprintf(&content, "%d %d %g\n", k%9+1, k%7+1, 1/float64(k+3))
	}
	alone := gzipped(content.String())
	archive := tarOf(t, [2]string{"a/a.mtx", content.String()}, [2]string{"a/a_b.mtx", content.String()})
	for _, file := range []string{alone, gzipped(archive)} {
		testkit.Must(decodeMTX(strings.NewReader(file), "f", DefaultOptions))
		flipped := []byte(file)
		flipped[len(file)-8] ^= 1 // the checksum
		for want, file := range map[string]string{
			"damaged (gzip: invalid ch": string(flipped),
			"the file was cut off":      file[:len(file)-3],
			"cut off; get it again":     file[:len(file)/2],
			"compressed data":           file[:5],
			"damaged (gzip: invalid he": "\x1f\x8bnot gzip" + file,
			"end too early":             archive[:content.Len()/2],
			"archive is damaged":        "x" + archive[1:],
		} {
			testkit.Fails(t, testkit.Err(decodeMTX(strings.NewReader(file), "f", DefaultOptions)), want)
		}
	}
}

// decode reads a matrix from r to its end; name is what errors call it.
func decodeMTX(r io.Reader, name string, opt Options) (*Matrix, error) {
	return decodeAs(mtx, r, name, opt)
}

// decodeAs reads a matrix of a format, whatever the file looks like.
func decodeAs(f format, r io.Reader, name string, opt Options) (*Matrix, error) {
	if err := opt.check(name); err != nil {
		return nil, err
	}
	s, err := newSource(r, name, f.Extensions[0])
	if err != nil {
		return nil, err
	}
	return f.read(s, opt)
}
