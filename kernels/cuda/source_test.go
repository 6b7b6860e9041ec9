package cuda

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spmvtune/internal/testing/uses"
)

// prepared says for kernels which functions prepare the matrix for them, here and in other
// packages.
var prepared = map[string][]string{
	"csr_narrow":     {"NewNarrow", "packTiles", "pieceOf", "outline", "describe", "begin", "fill", "eachPart", "Structure", "cuthillMcKee"},
	"sell_blocks":    {"NewJagged", "countBlocks", "fillSlice", "putBlock", "words", "share", "moveColumns"},
	"sell_diagonals": {"NewDiagonals", "unite", "fillDiagonals", "merge", "transpose"},
	"sell_c_sigma":   {"NewSELL", "sortWindows", "fillChunk", "sellOrder", "sorted"},
	"sell_hot":       {"newHotColumns", "newStagedRows", "places", "rim", "gatherStep"},
	"sell_local":     {"splitRows", "fillStaged", "allEqual", "Inverse"},
	"panel_sell":     {"packPanels", "cutColumns", "panelPieces", "visit"},
	"csr_stream":     {"newRowStarts", "cutStream", "around"},
	"csr_merge_warp": {"mergeBorders", "through"},
	"csr_scalar":     {"order", "component"},
}

// A change of what prepares the matrix makes the trials of a kernel new: its digest is made of
// that code, in whatever package.
func TestSourceHasWhatPrepares(t *testing.T) {
	code, err := recipeCode()
	if err != nil {
		t.Fatal(err)
	}
	for kernel, functions := range prepared {
		row := preparing(code, kernel)
		for _, f := range functions {
			if !strings.Contains(row, ") "+f+" (") && !strings.Contains(row, "func "+f+" ") {
				t.Errorf("%s does not count %s", kernel, f)
			}
		}
	}
	if strings.Contains(preparing(code, "csr_scalar"), "NewNarrow") {
		t.Error("csr_scalar counts a format that it does not use")
	}
}

// The files that are embedded are all that digests need: what their code uses of this program is
// declared in one of them, but for the catalogue, whose parameters are in a trial's identity, and for
// what turns the end of a mapped file into an error, which changes no array.
func TestSourceIsWhole(t *testing.T) {
	const root = "../.."
	paths, embedded := []string{}, map[string]bool{}
	for _, p := range recipeSources {
		paths = append(paths, p.Path)
		dir := strings.TrimPrefix(p.Path, "spmvtune/")
		names, err := fs.Glob(p.Files, "*.go")
		if err != nil || len(names) == 0 {
			t.Fatalf("%s has no files: %v", p.Path, err)
		}
		for _, name := range names {
			embedded[filepath.Join(dir, name)] = true
		}
	}
	found, err := uses.Between(root, paths)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range found {
		if dir := filepath.Dir(u.To); embedded[u.From] && !embedded[u.To] && dir != "kernels" && dir != "internal/base/panics" {
			t.Errorf("%s uses %s of %s, which is not counted", u.From, u.Name, u.To)
		}
	}
	if !slices.ContainsFunc(found, func(u uses.Use) bool { return u.To == filepath.Join("sparse", "narrow.go") }) {
		t.Error("no use of sparse/narrow.go is found")
	}
}
