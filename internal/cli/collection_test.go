package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// collectionServer serves the matrices HB/five and HB/six, and a page in place of
// HB/page.
func collectionServer(t *testing.T) *httptest.Server {
	t.Helper()
	files := map[string][]byte{"/MM/HB/page.tar.gz": []byte("<html>log in")}
	for name, text := range map[string]string{
		"five": "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n1 1 2\n2 1 -1\n3 1 4\n",
		"six":  "%%MatrixMarket matrix coordinate integer symmetric\n3 3 4\n1 1 2\n2 1 -1\n3 1 4\n3 3 1\n",
	} {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		w := tar.NewWriter(z)
		if err := w.WriteHeader(&tar.Header{Name: name + "/" + name + ".mtx", Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(w, text)
		w.Close()
		z.Close()
		files["/MM/HB/"+name+".tar.gz"] = b.Bytes()
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if file, there := files[r.URL.Path]; there {
			http.ServeContent(w, r, r.URL.Path, time.Time{}, bytes.NewReader(file))
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}
