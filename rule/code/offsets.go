package code

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"spmvtune/internal/base/term"
)

// A rowFeature is a feature that follows from the row offsets of a matrix in CSR,
// without memory to sort in: an expression of C, and the functions that it calls.
type rowFeature struct {
	name, expression string
	calls            []string
}

// rowFeatures are the features that the header can compute.
var rowFeatures = []rowFeature{
	{"rows", "rows", nil},
	{"cols", "cols", nil},
	{"cache_share", "(12.0 * nonzeros + 12.0 * rows + 8.0 * cols) / @@_CACHE", nil},
	{"x_cache_share", "8.0 * cols / @@_CACHE", nil},
	{"nonzeros_per_warp", "nonzeros / @@_WARPS", nil},
	{"rows_per_warp", "(double)rows / @@_WARPS", nil},
	{"nonzeros", "nonzeros", nil},
	{"row_mean", "mean", nil},
	{"row_max_over_mean", "mean > 0 ? @_quantile(rows, offsets, 100) / mean : 0", []string{"quantile"}},
	{"row_max_share", "nonzeros > 0 ? @_quantile(rows, offsets, 100) / nonzeros : 0", []string{"quantile"}},
	{"row_p99_over_mean", "mean > 0 ? @_quantile(rows, offsets, 99) / mean : 0", []string{"quantile"}},
	{"row_gini", "@_gini(rows, offsets)", []string{"gini"}},
	{"row_std_over_mean", "mean > 0 ? @_std(rows, offsets) / mean : 0", []string{"std"}},
	{"row_max", "@_quantile(rows, offsets, 100)", []string{"quantile"}},
	{"row_std", "@_std(rows, offsets)", []string{"std"}},
	{"row_min", "@_quantile(rows, offsets, 0)", []string{"quantile"}},
	{"row_median", "@_quantile(rows, offsets, 50)", []string{"quantile"}},
	{"row_p25", "@_quantile(rows, offsets, 25)", []string{"quantile"}},
	{"row_p75", "@_quantile(rows, offsets, 75)", []string{"quantile"}},
	{"row_p90", "@_quantile(rows, offsets, 90)", []string{"quantile"}},
	{"row_p99", "@_quantile(rows, offsets, 99)", []string{"quantile"}},
	{"share_above_32", "@_above(rows, offsets, 32)", []string{"above"}},
	{"share_above_256", "@_above(rows, offsets, 256)", []string{"above"}},
	{"share_above_1024", "@_above(rows, offsets, 1024)", []string{"above"}},
	{"empty_share", "rows > 0 ? @_empty(rows, offsets) / rows : 0", []string{"empty"}},
	{"empty_rows", "@_empty(rows, offsets)", []string{"empty"}},
}

// rowFunctions are the functions that the expressions call; @ stands for the name of the rule.
var rowFunctions = []struct{ name, text string }{
	{"quantile", `/* The smallest row length that percent of the rows do not exceed, by bisection. */
static inline double @_quantile(int rows, const int *offsets, int percent)
{
    int low = 0, high = rows > 0 ? offsets[rows] - offsets[0] : 0;
    while (low < high) {
        int i, middle = low + (high - low) / 2;
        long long within = 0;
        for (i = 0; i < rows; i++)
            within += offsets[i + 1] - offsets[i] <= middle;
        if (within > 0 && 100 * within >= (long long)percent * rows)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}
`},
	{"std", `/* The standard deviation of the row length; the root by Newton's iteration. */
static inline double @_std(int rows, const int *offsets)
{
    int i;
    double mean, root, next, sum = 0;
    if (rows == 0)
        return 0;
    mean = (double)(offsets[rows] - offsets[0]) / rows;
    for (i = 0; i < rows; i++) {
        double off = offsets[i + 1] - offsets[i] - mean;
        sum += off * off;
    }
    sum /= rows;
    root = sum > 1 ? sum : 1;
    while ((next = (root + sum / root) / 2) < root)
        root = next;
    return sum > 0 ? root : 0;
}
`},
	{"gini", `/* The Gini coefficient of the row length. It passes over the rows once for each 1024 lengths of which one occurs. */
static inline double @_gini(int rows, const int *offsets)
{
    int i, low = 0, next, within = 0;
    double sum = 0, all = rows > 0 ? offsets[rows] - offsets[0] : 0;
    do {
        int count[1024] = {0};
        next = 0;
        for (i = 0; i < rows; i++) {
            int n = offsets[i + 1] - offsets[i] - low;
            if (n >= 0 && n < 1024)
                count[n]++;
            else if (n > 0 && (next == 0 || n < next))
                next = n;
        }
        for (i = 0; i < 1024; i++) {
            within += count[i];
            sum += (double)within * (rows - within);
        }
        if (next > 0)
            sum += (double)within * (rows - within) * (next - 1024);
        low += next;
    } while (next > 0);
    return all > 0 ? sum / (rows * all) : 0;
}
`},
	{"above", `/* The share of the entries in rows longer than length. */
static inline double @_above(int rows, const int *offsets, int length)
{
    int i;
    double in = 0, all = offsets[rows] - offsets[0];
    for (i = 0; i < rows; i++)
        if (offsets[i + 1] - offsets[i] > length)
            in += offsets[i + 1] - offsets[i];
    return all > 0 ? in / all : 0;
}
`},
	{"empty", `/* The number of rows without an entry. */
static inline double @_empty(int rows, const int *offsets)
{
    int i, empty = 0;
    for (i = 0; i < rows; i++)
        empty += offsets[i + 1] == offsets[i];
    return empty;
}
`},
}

// cOffsets writes the function that computes features of a matrix in CSR.
func (p *program) cOffsets(b *bytes.Buffer) {
	var calls, unknown []string
	var body strings.Builder
	names := map[string]bool{}
	for _, f := range p.features {
		i := slices.IndexFunc(rowFeatures, func(r rowFeature) bool { return r.name == f.Name })
		if i < 0 {
			unknown = append(unknown, f.Name)
			fmt.Fprintf(&body, "    f->%s = zero / zero;\n", f.Name)
			continue
		}

		r := rowFeatures[i]
		calls = append(calls, r.calls...)
		fmt.Fprintf(&body, "    f->%s = %s;\n", f.Name, r.expression)
		for _, name := range []string{"mean", "nonzeros", "offsets", "cols", "rows"} {
			names[name] = names[name] || strings.Contains(r.expression, name)
		}
	}

	var text strings.Builder
	relative := strings.Contains(body.String(), "@@")
	if relative {
		text.WriteString(p.cHardware())
	}
	for _, f := range rowFunctions {
		if slices.Contains(calls, f.name) {
			text.WriteString(f.text + "\n")
		}
	}

	text.WriteString("/* The features of a matrix in CSR, by its row offsets, of which there are rows + 1.")
	if len(unknown) > 0 {
		needs, them := term.Noun(len(unknown), "needs", "need"), term.Noun(len(unknown), "it", "them")
		fmt.Fprintf(&text, "\n * %s %s the columns: compute %s yourself (docs/features.md), or\n"+
			" * the trees that ask for %s give no choice.", strings.Join(unknown, ", "), needs, them, them)
	}

	text.WriteString(" */\nstatic inline void @_from_offsets(@_features *f, int rows, int cols, const int " +
		"*offsets)\n{\n")
	if len(unknown) > 0 || relative && p.mixed {
		text.WriteString("    double zero = 0;\n")
		body.WriteString("    (void)zero;\n")
	}

	if names["nonzeros"] || names["mean"] {
		text.WriteString("    double nonzeros = offsets[rows] - offsets[0];\n")
	}
	if names["mean"] {
		text.WriteString("    double mean = rows > 0 ? nonzeros / rows : 0;\n")
	}

	text.WriteString("    (void)rows, (void)cols, (void)offsets;\n")
	if len(p.features) == 0 {
		body.WriteString("    f->nothing = 0;\n")
	}
	text.WriteString(body.String() + "}\n\n")
	named := strings.ReplaceAll(text.String(), "@@", strings.ToUpper(p.name))
	b.WriteString(strings.ReplaceAll(named, "@", p.name))
}

// cHardware defines what features are relative to. Where the devices of a rule differ in it, the user says which
// one it is: with that of another the trees would choose wrongly in silence.
func (p *program) cHardware() string {
	const define = "#ifndef @@_CACHE\n#define @@_CACHE %s\n#define @@_WARPS %s\n#endif\n\n"
	if p.mixed {
		return "/* Define both for your device, since those of this rule differ: last-level cache in bytes, and\n" +
			" * warps that run at a time. Without them, what is relative to them is not known. */\n" +
			fmt.Sprintf(define, "(zero / zero)", "(zero / zero)")
	}
	cache, warps := fmt.Sprintf("%d.0", p.hardware.Cache), fmt.Sprintf("%d.0", p.hardware.Warps)
	return fmt.Sprintf("/* Last-level cache in bytes and warps that run at a time, of %s.\n * Define them for another "+
		"device. */\n"+define, comment(p.device), cache, warps)
}
