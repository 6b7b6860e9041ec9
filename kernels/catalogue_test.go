// SPDX-License-Identifier: Apache-2.0

package kernels

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
)

// The catalogue is what users type and what databases keep: every entry must be
// complete and must accept its own defaults.
func TestCatalogueEntries(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Catalogue {
		testkit.Check(t, !seen[k.Name], "%s is listed twice", k.Name)
		seen[k.Name] = true
		testkit.Check(t, k.Source != "" && k.Mapping != "", "%s lacks its source or mapping", k.Name)
		testkit.Check(t, k.Backend == "cpu" || k.Backend == "cuda", "%s has backend %q", k.Name, k.Backend)
		testkit.Equal(t, k.Block == "", k.Blocks == Range{}, "%s has no block, by its range %v", k.Name, k.Blocks)
		if k.Backend == "cpu" && k.Block != "" && !k.Blocks.Contains(k.Blocks.Default) {
			t.Errorf("%s: %d is no block for sweeps that name none: give its blocks a default", k.Name, k.Blocks.Default)
		}
		c := Config{Kernel: k.Name, Precision: Float32, Params: k.Complete("")}
		if k.Block != "" {
			c.Block = k.Blocks.Max
		}
		if k.Grid != "" {
			c.Grid = 1
		}
		testkit.Succeed(t, k.Check(c))
	}
}

// Kernels that subtract prefixes have another error bound, and tiles of x need sorted columns.
func TestScopesAndSorting(t *testing.T) {
	for _, name := range []string{
		"coo_scan_shared", "coo_blelloch", "coo_blelloch_padded", "coo_scan_warp", "coo_scan_block", "coo_scan_warp_chunk",
	} {
		k, _ := Lookup(name)
		testkit.Equal(t, k.Scope, ScopeBlock, "%s subtracts prefixes: its error scope", name)
	}
	for _, name := range []string{"csr_warp_row_tile", "csr_block_tile"} {
		if k, _ := Lookup(name); !k.Sorted {
			t.Errorf("%s needs sorted columns, but does not say so", name)
		}
	}
}

// Every kernel of the written catalogue is here.
func TestCatalogueIsComplete(t *testing.T) {
	shared, err := os.ReadFile("../../shared/KERNELS.md")
	if err != nil {
		t.Skip(err)
	}
	text, _, _ := strings.Cut(string(shared), "## What the published code got wrong")
	want := map[string]bool{}
	for _, m := range regexp.MustCompile("`((?:cpu|coo|csr|sell|cusparse)_[a-z0-9_]+)`").FindAllStringSubmatch(text,
		-1) {
		want[m[1]] = true
	}
	for name := range want {
		if _, ok := Lookup(name); !ok {
			t.Errorf("%s is missing", name)
		}
	}
}

// Scripts read the names of these keys.
func TestKernelJSON(t *testing.T) {
	k, _ := Lookup("coo_segscan_warp_chunk_unroll")
	text := testkit.Must(json.Marshal(k))
	var keys map[string]any
	testkit.Succeed(t, json.Unmarshal(text, &keys))
	for _, key := range []string{"kernel", "paper", "source", "format", "backend", "mapping", "block", "grid", "params",
		"legal", "blocks", "sorted_columns", "error_scope", "deterministic"} {
		if _, ok := keys[key]; !ok {
			t.Errorf("no %q in %s", key, text)
		}
	}
}

var regen = flag.Bool("regen", false, "write the tables of kernels into the documentation")

// What block and grid usually are.
const (
	threads = "threads per block"
	blocks  = "blocks"
	cpuGrid = "workers; each is a thread of its own, pinned to a core while there are cores left"
	windows = "blocks; each takes every grid-th window of consecutive nonzeros"
)

// The documentation has every kernel, as the catalogue says.
func TestDocumentation(t *testing.T) {
	var b strings.Builder
	var sources strings.Builder
	for _, family := range []struct{ heading, backend, note string }{
		{"For a processor", "cpu", "A worker" + strings.TrimPrefix(cpuGrid, "workers; each") + "."},
		{"For a GPU", "cuda", "Block and grid are *usual* if they are " + threads + ", and " + blocks + ".\n*Windows* are " +
			windows + ". A parameter that is only named is that\nof a kernel above."},
	} {
		fmt.Fprintf(&b, "## %s\n\n%s\n\n| kernel | format | bits | what takes what | block and grid | parameters | from |\n"+
			"|---|---|---|---|---|---|---|\n", family.heading, family.note)
		said := map[string]string{}
		for _, k := range Catalogue {
			if k.Backend == family.backend {
				b.WriteString(row(k, said))
				sources.WriteString(k.Source + "; ")
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("## The papers\n\n")
	for _, p := range Cited(sources.String()) {
		who := strings.TrimPrefix(p.Authors+": ", ": ")
		fmt.Fprintf(&b, "- **%s**: %s%s. %s, %d\n", p.Key, who, p.Title, p.Where, p.Year)
	}
	testkit.Section(t, "../docs/kernels.md", "<!-- catalogue -->\n", "<!-- end -->\n", b.String(), *regen)
}

// row is a kernel's row of the documentation; said is what the rows above say of parameters, by their names.
func row(k Kernel, said map[string]string) string {
	var params []string
	for _, p := range k.Params {
		values := "any positive integer"
		if len(p.Values) > 0 {
			values = strings.Join(p.Values, ", ")
		}
		text := fmt.Sprintf(" (%s): %s", values, p.Doc)
		if said[p.Name] == text {
			text = ""
		} else {
			said[p.Name] = text
		}
		params = append(params, "`"+p.Name+"`"+text)
	}
	bits := "vary"
	if k.Deterministic {
		bits = "same"
	}
	var shape []string
	for _, choice := range [][2]string{{"block: ", k.Block}, {"grid: ", k.Grid}} {
		if choice[1] != "" {
			shape = append(shape, choice[0]+choice[1])
		}
	}
	counted := strings.NewReplacer(cpuGrid, "workers", windows, "windows").Replace(strings.Join(shape, "; "))
	if k.Block == threads && k.Grid == blocks {
		counted = "usual"
	}
	cells := []string{"`" + k.Name + "`", string(k.Format), bits, k.Mapping, counted,
		strings.Join(params, "; "), k.Source}
	for i, c := range cells {
		cells[i] = strings.ReplaceAll(c, "|", "\\|")
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// A key that no paper has leaves a reader with nothing to look up.
func TestCitationsAreResolved(t *testing.T) {
	key := regexp.MustCompile(`\b(?:coo|csr)-[a-z-]+[a-z]`)
	known := func(k string) bool { return slices.ContainsFunc(Papers, func(p Paper) bool { return p.Key == k }) }
	cited := map[string]bool{}
	for _, k := range Catalogue {
		for _, name := range key.FindAllString(k.Source, -1) {
			cited[name] = true
			testkit.Check(t, known(name) && len(Cited(k.Source)) != 0, "%s cites %s, which is not among the papers", k.Name, name)
		}
	}

	testkit.Check(t, len(cited) >= 4, "only %d keys are cited: the test proves little", len(cited))
	for i, p := range Papers {
		if p.Title == "" || p.Where == "" || p.Year < 2000 ||
			slices.ContainsFunc(Papers[:i], func(q Paper) bool { return q.Key == p.Key }) {
			t.Errorf("paper %+v", p)
		}
	}
}
