package generate

import (
	"cmp"
	_ "embed"
	"sync"

	"spmvtune/internal/base/lists"

	"github.com/BurntSushi/toml"
)

// planners plan the matrices of the generators, by name.
var planners = map[string]planner{
	"grid_5pt": planGrid, "grid_blocks": planBlocks, "triangular": planTriangular, "delaunay": planDelaunay,
	"delaunay_shuffled": scrambled(planDelaunay), "triangulation_dual": planDual, "mycielskian": planMycielskian,
	"rmat": planRMAT, "uniform": planUniform, "fem_blocks": planFEM, "road": planRoad, "giant_row": planGiant,
	"twin": planTwin, "hypergraph": planHypergraph, "cliques": planCliques, "citations": planCitations,
	"small_world": planSmallWorld, "rails": planRails, "road_rcm": reversed(planRoad),
	"delaunay_rcm": reversed(planDelaunay), "stencil_3d": planStencil, "transfer": planTransfer,
	"queues": planQueues, "spins": planSpins, "particles": planParticles, "ldpc": planLDPC, "low_rank": planLowRank,
	"kronecker": planKronecker, "dense_columns": planDense, "staircase": planStaircase, "unfolding": planUnfolding,
	"windows": planWindows, "tomography": planTomography, "bipartite": planBipartite, "term_document": planTerms,
	"sat": planSAT, "latin_square": planLatin, "bundle_jacobian": planJacobian, "bundle_normal": planNormal,
	"bundle_schur": planSchur, "kkt": planKKT, "power_grid": planPower, "fem_globals": planGlobals,
	"bordered_blocks": planBordered, "single_cell": planCells, "pruned": planPruned, "nm_pruned": planGroups,
	"block_pruned": planBlockPruned, "attention": planAttention,
}

//go:embed generators.toml
var generatorsTOML string

var seedArg = Arg{Name: "seed", Kind: Int, Min: 0, Max: 1<<53 - 1, Default: 1, Doc: "seed of the random numbers"}

// Generators is the table of all generators. Most starts of the program need neither it nor that of twins.
var Generators = sync.OnceValue(func() (all []Generator) {
	var table struct {
		Generator []struct {
			Generator
			Like string // has the same arguments
			Seed bool   // has one more: a seed
		}
	}
	if _, err := toml.Decode(generatorsTOML, &table); err != nil {
		panic("generators.toml: " + err.Error()) // embedded; every test reads it
	}
	args := map[string][]Arg{}
	for _, row := range table.Generator {
		g := row.Generator
		g.plan = planners[g.Name]
		if row.Like != "" {
			g.Args = args[row.Like]
		}
		for i := range g.Args {
			g.Args[i].Kind = cmp.Or(g.Args[i].Kind, Int)
		}
		if row.Seed {
			g.Args = append(g.Args, seedArg)
		}
		if g.Name == "twin" {
			g.ofTwins()
		}
		args[g.Name] = g.Args
		all = append(all, g)
	}
	return all
})

// ofTwins adds what follows from the table of twins.
func (g *Generator) ofTwins() {
	g.Args[0].Choices = lists.Of(twins(), func(t twin) string { return t.Name })
	locality := &g.Args[len(g.Args)-1]
	locality.Choices, locality.only = localities, hasForms
	g.class = func(v values) string { return twins()[v.int("of")].Class }
}

// A twin has the published facts about a matrix and the way to imitate it; one that another generator makes
// has none but its class (see imitations). Sizes, lengths and
// the statistics that the patterns are fitted to are those of the SuiteSparse Matrix Collection
// and of published feature tables; a deviation or a bound of lengths marked as not published is
// that of a relative, or of the class.
type twin struct {
	Name, Class     string
	Rows, Cols, NNZ int
	Symmetric       bool
	Binary          bool // values are 1

	Law        law     // of row lengths
	Longest    int     // of a symmetric twin: one row is longer than the law's
	Widen      float64 // of a symmetric twin: on the law's deviation, against what mirroring adds or smooths away; 0: 1
	Stretch    int     // rows of a length that lie together; 0: lengths rise and fall slowly
	Hills      int     // how often they do
	Hub        int     // rows with an entry in the first column
	HubStretch int     `toml:"hub_stretch"` // rows that lie together and have it or not
	Pattern    pattern
	Local      *form // where the original's locality is known better than by pattern; nil: there is one form
}

// A form is what differs between the two forms of a twin.
type form struct {
	Law     law // zero: the twin's
	Longest int // with law
	Pattern pattern
}

//go:embed twins.toml
var twinsTOML string

// twins is the table of all twins, by name.
var twins = sync.OnceValue(func() []twin {
	var table struct{ Twin []twin }
	if _, err := toml.Decode(twinsTOML, &table); err != nil {
		panic("twins.toml: " + err.Error()) // embedded; every test reads it
	}
	return table.Twin
})
