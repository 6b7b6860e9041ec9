package data

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"spmvtune/internal/term"
	"spmvtune/kernels"
	"spmvtune/plots/canvas"
	"spmvtune/plots/claims"
	"spmvtune/rule"
	"spmvtune/sparse"
	"spmvtune/store"
	"spmvtune/store/compare"
	"spmvtune/tuner/trial"
)

// data is what a report is made of: everything that the store's readers gave,
// in an order that depends on the content alone.
type Report struct {
	Rows     []store.Row // all trials, the good ones first, then failed ones and others
	Best     []store.Best
	Matrices []store.Matrix // by mean row length
	Devices  []store.Device
	Sweeps   []store.Sweep
	Panels   []Panel                    // the good trials, which are the same rows, grouped
	Patterns map[string]*sparse.Density // of matrices, by hash
	// Precisions are of the good trials, by sweep.
	Precisions []store.Precision
	Rule       *rule.Rule     // nil: none was learned
	Launches   []store.Launch // of each kernel at its fastest, where facts are known
	Drifts     []store.Drift  // by device and matrix
	Published  bool           // the papers' numbers are to be drawn, too
	Claims     []claims.Judgement
	Searched   Searches // nothing where the figure is not asked for
	// Against says what became faster or slower since the database called base; nil:
	// nothing to compare with.
	Against *compare.Result
	Base    string
}

// A Condition is a device with the state of its caches.
type Condition struct {
	Device string
	Cache  trial.Cache
}

// A Setup is what trials must share to be compared in one panel.
type Setup struct {
	Condition
	Precision kernels.Precision
}

// SetupOf returns the setup that a trial was measured in.
func SetupOf(r *store.Row) Setup { return SetupOn(r.Device, r.Cache, r.Precision) }

// SetupOn returns the setup of a device, a cache state and a precision.
func SetupOn(device string, cache trial.Cache, p kernels.Precision) Setup {
	return Setup{Condition{device, cache}, p}
}

// A Panel holds the verified and measured trials of one matrix in one setup,
// each configuration once: where it was measured again, the latest.
type Panel struct {
	Setup
	Matrix string
	Rows   []store.Row
}

// Read reads what db holds, and takes what was read of it before: all results, which are
// sorted where they are, the matrices and the sweeps.
func Read(ctx context.Context, db *store.DB, rows []store.Row, matrices []store.Matrix, sweeps []store.Sweep) (*Report, error) {
	fail := func(what string, err error) (*Report, error) { return nil, fmt.Errorf("reading %s: %w", what, err) }
	best, err := db.Best(ctx, store.Filter{})
	if err != nil {
		return fail("best configurations", err)
	}
	devices, err := db.Devices(ctx)
	if err != nil {
		return fail("devices", err)
	}

	d := New(rows, best, slices.Clone(matrices), devices)
	d.Sweeps = slices.Clone(sweeps)
	slices.SortStableFunc(d.Sweeps, func(a, b store.Sweep) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Hash, b.Hash))
	})
	if d.Patterns, err = unpacked(ctx, db); err != nil {
		return fail("patterns", err)
	}
	if d.Precisions, err = db.Precisions(ctx); err != nil {
		return fail("precisions", err)
	}
	if d.Drifts, err = db.Drifts(ctx); err != nil {
		return fail("drifts", err)
	}
	if d.Launches, err = db.Launches(ctx); err != nil {
		return fail("launches", err)
	}
	return d, nil
}

// unpacked reads where the entries of matrices lie.
func unpacked(ctx context.Context, db *store.DB) (map[string]*sparse.Density, error) {
	packed, err := db.Patterns(ctx)
	if err != nil {
		return nil, err
	}
	patterns := map[string]*sparse.Density{}
	for hash, p := range packed {
		if d, err := p.Density(); err == nil { // another version's is as good as none
			patterns[hash] = d
		}
	}
	return patterns, nil
}

// newData sorts and groups what was read. It keeps the slices.
func New(rows []store.Row, best []store.Best, matrices []store.Matrix, devices []store.Device) *Report {
	d := &Report{Rows: rows, Best: best, Matrices: matrices, Devices: devices}
	slices.SortStableFunc(d.Matrices, func(a, b store.Matrix) int {
		return cmp.Or(cmp.Compare(a.RowMean, b.RowMean), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Hash, b.Hash))
	})
	order := newRowOrder(d.Rows, d.Matrices)
	good := order.sortRows(d.Rows)
	slices.SortStableFunc(d.Best, func(a, b store.Best) int {
		return cmp.Or(cmp.Compare(order.Place(&a.Row), order.Place(&b.Row)), compareWithin(&a.Row, &b.Row))
	})
	slices.SortStableFunc(d.Devices, func(a, b store.Device) int { return cmp.Compare(a.Label, b.Label) })
	d.group(d.Rows[:good])
	return d
}

// group fills panels, which are parts of the sorted good rows.
func (d *Report) group(good []store.Row) {
	for start := 0; start < len(good); {
		p := Panel{Setup: SetupOf(&good[start]), Matrix: good[start].Matrix}
		end := start
		for end < len(good) && good[end].Matrix == p.Matrix && p.Setup == SetupOf(&good[end]) {
			end++
		}
		p.Rows = good[start:end:end]
		d.Panels = append(d.Panels, p)
		start = end
	}
}

func sameConfig(a, b *store.Row) bool {
	return a.Kernel == b.Kernel && a.Block == b.Block && a.Grid == b.Grid && a.Params == b.Params
}

// Setups lists the setups with good trials, in order.
func (d *Report) Setups() []Setup {
	var list []Setup
	for _, p := range d.Panels {
		if n := len(list); n == 0 || list[n-1] != p.Setup {
			list = append(list, p.Setup)
		}
	}
	return list
}

// Of returns the panels of one setup: a matrix each, by mean row length.
func (d *Report) Of(s Setup) []Panel {
	var list []Panel
	for _, p := range d.Panels {
		if p.Setup == s {
			list = append(list, p)
		}
	}
	return list
}

// KernelsOf lists the kernels of some panels in the catalogue's order; those
// that it doesn't know come last, by name.
func KernelsOf(panels []Panel) []string {
	found := map[string]bool{}
	for _, p := range panels {
		for i := range p.Rows {
			found[p.Rows[i].Kernel] = true
		}
	}
	names := slices.Collect(maps.Keys(found))
	SortKernels(names)
	return names
}

func SortKernels(names []string) { slices.SortFunc(names, compareKernels) }

// compareKernels puts kernels in the catalogue's order, and those that it does not have
// after them.
func compareKernels(a, b string) int {
	return cmp.Or(cmp.Compare(catalogueIndex(a), catalogueIndex(b)), cmp.Compare(a, b))
}

// catalogueIndex is where the kernel stands in the catalogue, or the length of it.
func catalogueIndex(kernel string) int {
	if i, known := catalogueIndexes()[kernel]; known {
		return i
	}
	return len(kernels.Catalogue)
}

var catalogueIndexes = sync.OnceValue(func() map[string]int {
	indexes := map[string]int{}
	for i, name := range kernels.Names() {
		indexes[name] = i
	}
	return indexes
})

// Fastest returns the row with the least median time, nil if there is none. Of
// equal ones it is the first.
func Fastest(rows []store.Row) *store.Row {
	var best *store.Row
	for i := range rows {
		if best == nil || rows[i].Median < best.Median {
			best = &rows[i]
		}
	}
	return best
}

// ByKernel returns the rows of one kernel. Where they lie beside each other, as they do
// in the panel of one device, they are not copied: there may be a million.
func (p *Panel) ByKernel(name string) []store.Row {
	first, last, n := -1, -1, 0
	for i := range p.Rows {
		if p.Rows[i].Kernel == name {
			if n++; first < 0 {
				first = i
			}
			last = i
		}
	}
	if n == 0 {
		return nil
	}
	if last-first+1 == n {
		return p.Rows[first : last+1 : last+1]
	}
	rows := make([]store.Row, 0, n)
	for i := range p.Rows[first : last+1] {
		if r := &p.Rows[first+i]; r.Kernel == name {
			rows = append(rows, *r)
		}
	}
	return rows
}

// SeveralDevices and severalCaches say whether names must tell these apart.
func (d *Report) SeveralDevices() bool {
	return len(d.Panels) > 0 && d.Panels[0].Device != d.Panels[len(d.Panels)-1].Device
}

// Words describes a setup, as in "float64, cold cache, 2 cores".
func (d *Report) Words(s Setup) string {
	return string(s.Precision) + ", " + d.ConditionWords(s.Condition)
}

// ConditionWords describes a condition, as in "cold cache, 2 cores".
func (d *Report) ConditionWords(c Condition) string {
	return string(c.Cache) + " cache, " + d.DeviceWords(c.Device)
}

// DeviceWords is a device's name and, for a processor, its cores.
func (d *Report) DeviceWords(name string) string {
	short := ShortDevice(name)
	for i := range d.Devices {
		if dev := &d.Devices[i]; dev.Label == name && dev.Backend == "cpu" && dev.Units > 0 {
			return short + ", " + term.GroupedCount(dev.Units, "core", "cores")
		}
	}
	return short
}

// ShortDevice leaves out what makers add to the names of their processors.
func ShortDevice(name string) string {
	s := strings.NewReplacer("(R)", "", "(TM)", "", "(r)", "", "(tm)", "", " CPU", "").Replace(name)
	return strings.Join(strings.Fields(s), " ")
}

// FileStem makes the name of a page: the figure, the device where there are
// several, and the rest.
func (d *Report) FileStem(figure, device string, rest ...string) string {
	words := []string{figure}
	if d.SeveralDevices() {
		words = append(words, ShortDevice(device))
	}
	return canvas.Slug(append(words, rest...)...)
}

// Conditions lists the conditions with good trials, in order.
func (d *Report) Conditions() []Condition {
	var list []Condition
	for _, s := range d.Setups() {
		if !slices.Contains(list, s.Condition) {
			list = append(list, s.Condition)
		}
	}
	return list
}

// ClaimsByDevice cuts the judgements, which are sorted, by device.
func (d *Report) ClaimsByDevice() [][]claims.Judgement {
	var lists [][]claims.Judgement
	for i, j := range d.Claims {
		if i == 0 || j.Device != d.Claims[i-1].Device {
			lists = append(lists, nil)
		}
		lists[len(lists)-1] = append(lists[len(lists)-1], j)
	}
	return lists
}

func MatrixNames(panels []Panel) string {
	names := make([]string, len(panels))
	for i := range panels {
		names[i] = panels[i].Matrix
	}
	return strings.Join(names, ", ")
}

// PanelOf returns the panel that r belongs to, an empty one if there is none.
func (d *Report) PanelOf(r *store.Row) *Panel {
	for i := range d.Panels {
		if p := &d.Panels[i]; p.Matrix == r.Matrix && p.Setup == SetupOf(r) {
			return p
		}
	}
	return &Panel{}
}
