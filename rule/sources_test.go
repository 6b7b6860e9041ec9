// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels/cuda"
)

// sourced finds a kernel and the digest of its source, in a rule and in what it was learned from.
var sourced = regexp.MustCompile(`"kernel":"([a-z0-9_]+)"[^[\]]*?"source":"([0-9a-f]{64})"|"([a-z0-9_]+)": "([0-9a-f]{64})"`)

// taught are the files with digests of kernels, and last the page that has digests of these files.
var taught = []string{"h100.json", "h200.json", "h200-data.json.gz", "h200-strangers.json.gz", "../docs/rule.md"}

var redigest = flag.Bool("redigest", false, "write the digests of kernels of now into the shipped rules")

// Kernels of a GPU are those that taught the shipped rules: else `select` would ask for other measurements. Where
// only the form of digests is new, -redigest writes those of now.
func TestSourcesAreThoseMeasured(t *testing.T) {
	digests := map[string]string{} // of now, by those of then
	for _, name := range taught {
		data := testkit.Must(os.ReadFile(name))
		for _, m := range sourced.FindAllSubmatch(inflated(t, name, data), -1) {
			kernel, then := string(m[1])+string(m[3]), string(m[2])+string(m[4])
			if name == "h100.json" && kernel == "sell_c_sigma" {
				continue // written anew when there was no H100; `select` says so there
			}
			if now := cuda.Source(kernel); now != "" && now != then {
				digests[then] = now
				testkit.Check(t, *redigest, "%s: the source of %s was %s, and is %s", name, kernel, then, now)
			}
		}
		if *redigest {
			rewrite(t, name, data, digests)
		}
	}
}

// inflated is the text of a file.
func inflated(t *testing.T, name string, data []byte) []byte {
	t.Helper()
	if !strings.HasSuffix(name, ".gz") {
		return data
	}
	r := testkit.Must(gzip.NewReader(bytes.NewReader(data)))
	return testkit.Must(io.ReadAll(r))
}

// rewrite replaces digests in a file, and adds the digest of the file itself to them.
func rewrite(t *testing.T, name string, data []byte, digests map[string]string) {
	t.Helper()
	var pairs []string
	for then, now := range digests {
		pairs = append(pairs, then, now)
	}
	text := []byte(strings.NewReplacer(pairs...).Replace(string(inflated(t, name, data))))
	if strings.HasSuffix(name, ".gz") {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write(text)
		w.Close()
		text = b.Bytes()
	}
	digests[fmt.Sprintf("%x", sha256.Sum256(data))] = fmt.Sprintf("%x", sha256.Sum256(text))
	testkit.Succeed(t, os.WriteFile(name, text, 0o644))
}
