// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"example.org/spmvtune/internal/base/lists"
)

// A Kind is the type of an argument.
type Kind string

const (
	Int   Kind = "int"
	Float Kind = "float"
	Text  Kind = "text" // one of Choices
)

// An Arg declares an argument of a generator. The value lies in [Min, Max], or is one
// of Choices if it is Text.
type Arg struct {
	Name     string
	Kind     Kind
	Min, Max float64
	Choices  []string
	Default  float64 // where not Required
	Required bool
	Doc      string

	only func(v values) bool // what Spec spells the argument out for; nil: always
}

// Value gives the value x of the argument as a sweep file does.
func (a *Arg) Value(x float64) string {
	if a.Kind == Text {
		return strconv.Quote(a.text(x))
	}
	return a.text(x)
}

// An ArgError is a mistake in one argument of a generator.
type ArgError struct {
	Generator string
	Arg       string // the argument's name, as it was given
	Reason    string // what is wrong, and what would be right
}

func (e *ArgError) Error() string {
	return fmt.Sprintf("%s: argument %s: %s", e.Generator, e.Arg, e.Reason)
}

// wrong is the error of an argument; prepare adds the generator.
func wrong(arg, format string, a ...any) error {
	return &ArgError{Arg: arg, Reason: fmt.Sprintf(format, a...)}
}

// values are checked arguments, every one of the generator's; a text's is its place
// among the choices. All are exact in float64: the bounds in the table see to that.
type values map[string]float64

func (v values) int(name string) int { return int(v[name]) }

func (v values) seed() uint64 { return uint64(v["seed"]) }

// resolve checks args against g's declaration and fills in defaults.
func (g *Generator) resolve(args map[string]any) (values, error) {
	var errs []error
	bad := func(arg, format string, a ...any) {
		errs = append(errs, &ArgError{g.Name, arg, fmt.Sprintf(format, a...)})
	}
	v := make(values, len(g.Args))
	names := make([]string, len(g.Args))

	for i, a := range g.Args {
		names[i] = a.Name
		given, ok := args[a.Name]
		if !ok {
			if a.Required {
				bad(a.Name, "missing; it is required (%s)", a.Doc)
			}
			v[a.Name] = a.Default
			continue
		}

		if a.Kind == Text {
			if k := slices.Index(a.Choices, fmt.Sprint(given)); k >= 0 {
				v[a.Name] = float64(k)
			} else {
				bad(a.Name, "there is no %q; there are %s", given, strings.Join(a.Choices, ", "))
			}
			continue
		}

		x, ok := number(given)
		switch {
		case !ok:
			bad(a.Name, "%v is no number", given)
		case a.Kind == Int && x != math.Trunc(x):
			bad(a.Name, "%v is no integer", given)
		case !(x >= a.Min && x <= a.Max): // so that NaN is refused
			bad(a.Name, "%v is out of range; it must be between %s and %s", given, decimal(a.Min), decimal(a.Max))
		default:
			v[a.Name] = x + 0 // −0 becomes 0
		}
	}

	for _, key := range slices.Sorted(maps.Keys(args)) {
		if !slices.Contains(names, key) {
			bad(key, "unknown; there are %s", strings.Join(names, ", "))
		}
	}
	return v, errors.Join(errs...)
}

// text gives the value of an argument as Spec writes it.
func (a *Arg) text(x float64) string {
	if a.Kind == Text {
		return a.Choices[int(x)]
	}
	return decimal(x)
}

// decimal gives x in the fewest digits that mean x, without an exponent.
func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// number converts x to float64 if it is of a numeric type. Integers that
// float64 can't hold are beyond every bound of the table, rounded or not.
func number(x any) (float64, bool) {
	switch r := reflect.ValueOf(x); {
	case r.CanInt():
		return float64(r.Int()), true
	case r.CanUint():
		return float64(r.Uint()), true
	case r.CanFloat():
		return r.Float(), true
	}
	return 0, false
}

// ParseSpec reads what [Spec] writes, "rmat(scale=18, seed=1)", and the form for
// command lines, which needs no quotes: "rmat:scale=18,seed=1". Arguments are int64,
// float64, or string where the generator takes text; digits may be grouped by
// underscores. What they mean is for [Check] to say.
func ParseSpec(text string) (name string, args map[string]any, err error) {
	name, list, some := strings.Cut(text, ":")
	if paren, rest, ok := strings.Cut(text, "("); ok && (!some || len(paren) < len(name)) {
		if name, list, some = paren, strings.TrimSuffix(rest, ")"), true; list == rest {
			return "", nil, fmt.Errorf("%q has no closing parenthesis", text)
		}
	}

	args = map[string]any{}
	if name = strings.TrimSpace(name); name == "" {
		return "", nil, fmt.Errorf("%q names no generator", text)
	}
	if !some || strings.TrimSpace(list) == "" {
		return name, args, nil
	}

	for pair := range strings.SplitSeq(list, ",") {
		key, value, ok := strings.Cut(pair, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if !ok || key == "" {
			return "", nil, fmt.Errorf("%q is no argument: write name=value, as in grid_5pt:nx=100,ny=100",
				strings.TrimSpace(pair))
		}

		if _, twice := args[key]; twice {
			return "", nil, fmt.Errorf("argument %s is given twice", key)
		}
		g, ok := Lookup(name)
		if ok && slices.ContainsFunc(g.Args, func(a Arg) bool { return a.Name == key && a.Kind == Text }) {
			args[key] = value
			continue
		}

		value = strings.ReplaceAll(value, "_", "")
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			args[key] = n
		} else if x, err := strconv.ParseFloat(value, 64); err == nil {
			args[key] = x
		} else {
			return "", nil, fmt.Errorf("argument %s: %q is no number", key, value)
		}
	}

	return name, args, nil
}

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
