package kernels

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The catalogue is what users type and what databases keep: every entry must be
// complete and must accept its own defaults.
func TestCatalogueEntries(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Catalogue {
		if seen[k.Name] {
			t.Errorf("%s is listed twice", k.Name)
		}
		seen[k.Name] = true
		if k.Source == "" || k.Mapping == "" {
			t.Errorf("%s lacks its source or mapping", k.Name)
		}
		if k.Backend != "cpu" && k.Backend != "cuda" {
			t.Errorf("%s has backend %q", k.Name, k.Backend)
		}
		if (k.Block == "") != (k.Blocks == Range{}) {
			t.Errorf("%s: block is %q, but its range is %v", k.Name, k.Block, k.Blocks)
		}
		c := Config{Kernel: k.Name, Precision: Float32, Params: k.Complete("")}
		if k.Block != "" {
			c.Block = k.Blocks.Max
		}
		if k.Grid != "" {
			c.Grid = 1
		}
		if err := k.Check(c); err != nil {
			t.Errorf("%s refuses its defaults: %v", k.Name, err)
		}
	}
}

// Kernels that subtract prefixes have another error bound, and tiles of x need sorted columns.
func TestScopesAndSorting(t *testing.T) {
	for _, name := range []string{
		"coo_scan_shared", "coo_blelloch", "coo_blelloch_padded", "coo_scan_warp", "coo_scan_block", "coo_scan_warp_chunk",
	} {
		if k, _ := Lookup(name); k.Scope != ScopeBlock {
			t.Errorf("%s subtracts prefixes, but its error scope is %q", name, k.Scope)
		}
	}
	for _, name := range []string{"csr_warp_row_tile", "csr_block_tile"} {
		if k, _ := Lookup(name); !k.Sorted {
			t.Errorf("%s needs sorted columns, but does not say so", name)
		}
	}
}

// Every kernel of the written catalogue is here.
func TestCatalogueIsComplete(t *testing.T) {
	text := sharedFile(t, "KERNELS.md")
	text, _, _ = strings.Cut(text, "## What the published code got wrong")
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

func TestLookupUnknown(t *testing.T) {
	if k, ok := Lookup("cpu_cs"); ok {
		t.Errorf("found %v", k)
	}
}

// Scripts read the names of these keys.
func TestKernelJSON(t *testing.T) {
	k, _ := Lookup("coo_segscan_warp_chunk_unroll")
	text, err := json.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]any
	if err := json.Unmarshal(text, &keys); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"kernel", "paper", "source", "format", "backend", "mapping", "block", "grid", "params",
		"legal", "blocks", "sorted_columns", "error_scope", "deterministic"} {
		if _, ok := keys[key]; !ok {
			t.Errorf("no %q in %s", key, text)
		}
	}
}

// sharedFile reads a file that lies beside the repository.
func sharedFile(t *testing.T, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			t.Skip("not inside the module")
		}
		dir = filepath.Dir(dir)
	}
	text, err := os.ReadFile(filepath.Join(dir, "..", "shared", name))
	if err != nil {
		t.Skipf("the shared material is not here: %v", err)
	}
	return string(text)
}
