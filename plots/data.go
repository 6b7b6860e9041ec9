package plots

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"spmvtune/internal/term"
	"spmvtune/kernels"
	"spmvtune/plots/claims"
	"spmvtune/rule"
	"spmvtune/sparse"
	"spmvtune/store"
)

// data is what a report is made of: everything that the store's readers gave,
// in an order that depends on the content alone.
type data struct {
	rows     []store.Row // all trials, the good ones first, then failed ones and others
	best     []store.Best
	matrices []store.Matrix // by mean row length
	devices  []store.Device
	sweeps   []store.Sweep
	panels   []panel                    // the good trials, which are the same rows, grouped
	patterns map[string]*sparse.Density // of matrices, by hash
	// precisions are of the good trials, by sweep.
	precisions []store.Precision
	rule       *rule.Rule     // nil: none was learned
	launches   []store.Launch // of each kernel at its fastest, where facts are known
	drifts     []store.Drift  // by device and matrix
	published  bool           // the papers' numbers are to be drawn, too
	claims     []claims.Judgement
	searched   searched // nothing where the figure is not asked for
}

// A setup is what trials must share to be compared in one panel.
type setup struct {
	Device    string
	Cache     string
	Precision kernels.Precision
}

func setupOf(r *store.Row) setup { return setup{r.Device, string(r.Cache), r.Precision} }

// A panel holds the verified and measured trials of one matrix in one setup,
// each configuration once: where it was measured again, the latest.
type panel struct {
	setup
	Matrix string
	rows   []store.Row
}

func load(ctx context.Context, db *store.DB, rows []store.Row) (*data, error) {
	best, err := db.Best(ctx, store.Filter{})
	if err != nil {
		return nil, fmt.Errorf("best configurations: %w", err)
	}
	matrices, err := db.Features(ctx)
	if err != nil {
		return nil, fmt.Errorf("features: %w", err)
	}
	devices, err := db.Devices(ctx)
	if err != nil {
		return nil, fmt.Errorf("devices: %w", err)
	}
	sweeps, err := db.Sweeps(ctx)
	if err != nil {
		return nil, fmt.Errorf("sweeps: %w", err)
	}
	patterns, err := unpacked(ctx, db)
	if err != nil {
		return nil, err
	}
	precisions, err := db.Precisions(ctx)
	if err != nil {
		return nil, err
	}
	drifts, err := db.Drifts(ctx)
	if err != nil {
		return nil, err
	}
	d := newData(rows, best, matrices, devices)
	d.drifts = drifts
	if d.claims, err = claims.Judge(ctx, db); err != nil {
		return nil, err
	}
	d.patterns = patterns
	d.precisions = precisions
	if d.launches, err = db.Launches(ctx); err != nil {
		return nil, err
	}
	d.sweeps = sweeps
	slices.SortStableFunc(d.sweeps, func(a, b store.Sweep) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Hash, b.Hash))
	})
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
func newData(rows []store.Row, best []store.Best, matrices []store.Matrix, devices []store.Device) *data {
	d := &data{rows: rows, best: best, matrices: matrices, devices: devices}
	slices.SortStableFunc(d.matrices, func(a, b store.Matrix) int {
		return cmp.Or(cmp.Compare(a.RowMean, b.RowMean), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Hash, b.Hash))
	})
	order := newRowOrder(d.rows, d.matrices)
	good := order.sortRows(d.rows)
	slices.SortStableFunc(d.best, func(a, b store.Best) int {
		return cmp.Or(cmp.Compare(order.place(&a.Row), order.place(&b.Row)), compareWithin(&a.Row, &b.Row))
	})
	slices.SortStableFunc(d.devices, func(a, b store.Device) int { return cmp.Compare(a.Label, b.Label) })
	d.group(d.rows[:good])
	return d
}

// group fills panels, which are parts of the sorted good rows.
func (d *data) group(good []store.Row) {
	for start := 0; start < len(good); {
		p := panel{setup: setupOf(&good[start]), Matrix: good[start].Matrix}
		end := start
		for end < len(good) && good[end].Matrix == p.Matrix && p.setup == setupOf(&good[end]) {
			end++
		}
		p.rows = good[start:end:end]
		d.panels = append(d.panels, p)
		start = end
	}
}

func sameConfig(a, b *store.Row) bool {
	return a.Kernel == b.Kernel && a.Block == b.Block && a.Grid == b.Grid && a.Params == b.Params
}

// setups lists the setups with good trials, in order.
func (d *data) setups() []setup {
	var list []setup
	for _, p := range d.panels {
		if n := len(list); n == 0 || list[n-1] != p.setup {
			list = append(list, p.setup)
		}
	}
	return list
}

// of returns the panels of one setup: a matrix each, by mean row length.
func (d *data) of(s setup) []panel {
	var list []panel
	for _, p := range d.panels {
		if p.setup == s {
			list = append(list, p)
		}
	}
	return list
}

// kernelsOf lists the kernels of some panels in the catalogue's order; those
// that it doesn't know come last, by name.
func kernelsOf(panels []panel) []string {
	found := map[string]bool{}
	for _, p := range panels {
		for i := range p.rows {
			found[p.rows[i].Kernel] = true
		}
	}
	names := slices.Collect(maps.Keys(found))
	sortKernels(names)
	return names
}

func sortKernels(names []string) { slices.SortFunc(names, compareKernels) }

// compareKernels puts kernels in the catalogue's order, and those that it doesn't know
// after them.
func compareKernels(a, b string) int {
	i, _ := catalogueIndex(a)
	j, _ := catalogueIndex(b)
	return cmp.Or(cmp.Compare(i, j), cmp.Compare(a, b))
}

// fastest returns the row with the least median time, nil if there is none. Of
// equal ones it is the first.
func fastest(rows []store.Row) *store.Row {
	var best *store.Row
	for i := range rows {
		if best == nil || rows[i].Median < best.Median {
			best = &rows[i]
		}
	}
	return best
}

// byKernel returns the rows of one kernel. Where they lie beside each other, as they do
// in the panel of one device, they are not copied: there may be a million.
func (p *panel) byKernel(name string) []store.Row {
	first, last, n := -1, -1, 0
	for i := range p.rows {
		if p.rows[i].Kernel == name {
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
		return p.rows[first : last+1 : last+1]
	}
	rows := make([]store.Row, 0, n)
	for i := range p.rows[first : last+1] {
		if r := &p.rows[first+i]; r.Kernel == name {
			rows = append(rows, *r)
		}
	}
	return rows
}

// severalDevices and severalCaches say whether names must tell these apart.
func (d *data) severalDevices() bool {
	return len(d.panels) > 0 && d.panels[0].Device != d.panels[len(d.panels)-1].Device
}

// words describes a setup, as in "float64, cold cache, 2 cores".
func (d *data) words(s setup) string {
	return string(s.Precision) + ", " + d.place(s.Device, s.Cache)
}

// place describes a device and the state of its cache.
func (d *data) place(device, cache string) string {
	return cache + " cache, " + d.deviceWords(device)
}

// deviceWords is a device's name and, for a processor, its cores.
func (d *data) deviceWords(name string) string {
	short := shortDevice(name)
	for i := range d.devices {
		if dev := &d.devices[i]; dev.Label == name && dev.Backend == "cpu" && dev.Units > 0 {
			return short + ", " + term.GroupedCount(dev.Units, "core", "cores")
		}
	}
	return short
}

// shortDevice leaves out what makers add to the names of their processors.
func shortDevice(name string) string {
	s := strings.NewReplacer("(R)", "", "(TM)", "", "(r)", "", "(tm)", "", " CPU", "").Replace(name)
	return strings.Join(strings.Fields(s), " ")
}

// fileStem makes the name of a page: the figure, the device where there are
// several, and the rest.
func (d *data) fileStem(figure, device string, rest ...string) string {
	words := []string{figure}
	if d.severalDevices() {
		words = append(words, shortDevice(device))
	}
	return slug(append(words, rest...)...)
}
