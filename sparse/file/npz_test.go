// SPDX-License-Identifier: Apache-2.0

package file

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
)

// readNPZ reads a file of that content.
func readNPZ(t *testing.T, content []byte) (*Matrix, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "A.npz")
	testkit.Succeed(t, os.WriteFile(path, content, 0o644))
	return Read(t.Context(), path, DefaultOptions)
}

func TestNPZ(t *testing.T) {
	for name, m := range examples(t) {
		back := testkit.Must(readNPZ(t, written(t, ".npz", m, Writing{})))
		testkit.Equal(t, back.A.Hash(), m.Hash(), "%s is another matrix", name)
	}
}

// testdata has what scipy 1.10 has saved: one matrix, in no order and with entries given twice, of int16, float32 and
// complex, compressed but for the first.
func TestNPZOfScipy(t *testing.T) {
	want := testkit.Must(Decode(strings.NewReader("%%MatrixMarket matrix coordinate real general\n3 4 4\n1 2 1\n2 1 7\n3 1 0\n3 4 6\n"),
		"A", DefaultOptions))
	for name, field := range map[string]string{"coo": "integer", "csc": "real", "csr": "complex"} {
		path := filepath.Join("testdata", name+".npz")
		m := testkit.Must(Read(t.Context(), path, Options{Expand: true, Complex: RealPart}))
		size := testkit.Must(ReadSize(path, Options{Complex: RealPart}))
		testkit.EqualLists(t, []any{m.A.Hash(), m.Field, m.Declared, m.Duplicates, size}, []any{want.A.Hash(), field, 6, 2,
			Size{Rows: 3, Cols: 4, Entries: 6}}, "%s", name)
	}
	_, err := Read(t.Context(), "testdata/csr.npz", DefaultOptions)
	testkit.Fails(t, err, "the values are complex", "complex")
}

// npy is an array with these bytes.
func npy(dtype, shape, content string) []byte {
	return append(headerOf(dtype, shape), content...)
}

// archive is that of a matrix of 3×3 with the diagonal, but for some members; nil leaves one out.
func archive(t testing.TB, others map[string][]byte) []byte {
	var b strings.Builder
	z := zip.NewWriter(&b)
	for name, content := range map[string][]byte{
		"format": npy("|S3", "()", "csr"), "shape": npy("<i2", "(2,)", "\x03\x00\x03\x00"),
		"indptr": npy("|i1", "(4,)", "\x00\x01\x02\x03"), "indices": npy(">u2", "(3,)", "\x00\x00\x00\x01\x00\x02"),
		"data": npy("|b1", "(3,)", "\x01\x01\x01"),
	} {
		if other, is := others[name]; is {
			content = other
		}
		if content != nil {
			testkit.Must(testkit.Must(z.Create(name + ".npy")).Write(content))
		}
	}
	testkit.Succeed(t, z.Close())
	return []byte(b.String())
}

// What is hostile, cut off or no matrix is refused in a line, before it takes memory.
func TestNPZRefuses(t *testing.T) {
	m := testkit.Must(readNPZ(t, archive(t, nil)))
	testkit.EqualLists(t, []any{m.A.NNZ(), m.A.Val[2]}, []any{3, 1.0}, "the archive that others are made of")
	zeros := strings.Repeat("\x00", 64<<20)
	for _, c := range []struct {
		member string
		array  []byte
		says   string
	}{
		{"data", nil, "has no data.npy"}, {"format", nil, "has no format.npy"}, {"format", npy("|S3", "()", "bsr"), "A.tocsr()"},
		{"data", npy("|O", "(3,)", "cposix\nsystem\n"), "Python's objects are not read"},
		{"data", npy("<f8", "(__import__('os').system('touch x'),)", ""), "Python's objects"},
		{"data", npy("<f8", "(3, 1)", ""), "a row of"}, {"data", npy("<f2", "(3,)", ""), "a row of"},
		{"data", []byte("\x93NUMPY\x01\x00\xff\xff{"), "too early"}, {"data", npy("<f8", "(3,)", "\x00\x00"), "ends before its 3"},
		{"data", npy("<f8", "(3,)", zeros), "goes on behind its 3"}, {"format", npy("|S3", "()", zeros), "the format"},
		{"data", npy("<f8", "(2147483647,)", zeros[:99]), "go up from 0 to 2147483647"},
		{"data", npy("<f8", "(9999999999,)", ""), "32-bit"}, {"indptr", npy("|i1", "(4,)", "\x00\x02\x01\x03"), "go up from 0 to 3"},
		{"indptr", npy("|i1", "(4,)", "\x00\x01\x02\x02"), "go up from 0 to 3"}, {"indices", npy("|i1", "(3,)", "\x00\xff\x02"), "is -1"},
		{"indices", npy("<u8", "(3,)", zeros[:16]), "ends before"}, {"shape", npy("|i1", "(1,)", "\x03"), "to have 2"},
		{"shape", npy("<u4", "(2,)", "\xff\xff\xff\x7f\x03\x00\x00\x00"), "nearly all rows"},
	} {
		var before, after runtime.MemStats
		content := archive(t, map[string][]byte{c.member: c.array})
		runtime.ReadMemStats(&before)
		_, err := readNPZ(t, content)
		runtime.ReadMemStats(&after)
		testkit.Fails(t, err, c.says, "%s is %.80q", c.member, c.array)
		got := after.TotalAlloc - before.TotalAlloc
		testkit.Check(t, got <= 16<<20 && strings.Contains(fmt.Sprint(err), "A.npz:1: "), "%d MB allocated, %v", got>>20, err)
	}
	for _, n := range []int{40, 200} {
		_, err := readNPZ(t, archive(t, nil)[:n])
		testkit.Fails(t, err, "the archive is damaged", "%d bytes", n)
	}
	_, err := Decode(strings.NewReader(string(archive(t, nil))), "A.npz.gz", DefaultOptions)
	testkit.Fails(t, err, "unpack it first", "a zip archive of no file")
}

func FuzzNPZ(f *testing.F) {
	f.Add(archive(f, nil))
	f.Add(archive(f, map[string][]byte{"format": npy("|S3", "()", "csc"), "data": npy("<f4", "(3,)", strings.Repeat("\x00", 12))}))
	f.Fuzz(func(t *testing.T, content []byte) {
		if m, err := readNPZ(t, content); err == nil {
			testkit.Succeed(t, m.A.Validate())
		}
	})
}
