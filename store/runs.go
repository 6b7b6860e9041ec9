package store

import (
	"context"
	"encoding/json"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
)

// A Device is a device that trials ran on.
type Device struct {
	Label string // its name in the views: the model, and more if several drivers were seen
	kernels.Device
	Roof kernels.Roof // the highest roof that was measured
}

// A Sweep is a sweep file that was run.
type Sweep struct {
	Name, Title string
	Text        string // the content of the file
	Hash        string // SHA-256 of Text
	Version     string // version of the program that last ran it
	Started     time.Time
	Trials      int // trials recorded under it; those of an earlier sweep are counted there
	// Finals and Spreads are the numbers of repeat runs of its trials, of leaders and of others.
	Finals, Spreads int
	// Protocol is what enters a trial's identity, and ProtocolText says it in words. Search
	// has the strategy, the budget of trials and the rule.
	Protocol     configs.Protocol
	ProtocolText string
	Search       configs.Search

	id int64
}

// sweepColumns are the columns of the numbers of a sweep.
var sweepColumns = []string{"warmup", "samples_min", "samples_max", "target", "budget", "seed", "slow",
	"strategy", "search_trials", "search_rule"}

// sweepValues are the values of sweepColumns. A search that is not known has no strategy.
func sweepValues(p configs.Protocol, s configs.Search) []any {
	return []any{p.Warmup, p.Samples[0], p.Samples[1], p.Target, p.Budget.Seconds(), int64(p.Seed), p.Slow,
		s.Strategy, s.Trials, s.Rule}
}

// fields are what sweepColumns are read into.
func (s *Sweep) fields() []any {
	p := &s.Protocol
	return []any{&p.Warmup, &p.Samples[0], &p.Samples[1], &p.Target, seconds{&p.Budget}, unsigned{&p.Seed}, &p.Slow,
		&s.Search.Strategy, &s.Search.Trials, &s.Search.Rule}
}

// A Kernel is the source of a kernel that trials ran.
type Kernel struct {
	Name   string
	Paper  string // the paper's own name for it
	Format kernels.Format
	Digest string       // digest of the source
	Own    *kernels.Own // what a sweep says of it; nil: it is in the catalogue
}

// Devices returns the devices, ordered by label.
func (db *DB) Devices(ctx context.Context) ([]Device, error) {
	list, err := db.from().devices(ctx)
	return list, db.wrap("reading devices", err)
}

func (from source) devices(ctx context.Context) ([]Device, error) {
	return collect(ctx, from, func(d *Device) []any {
		return []any{&d.Label, &d.Backend, &d.Name, &d.Driver, &d.Units, &d.MaxBlock, &d.Memory, &d.Cache,
			fromJSON(&d.Properties), &d.Roof.Read, &d.Roof.Copy, &d.Roof.Triad, &d.Roof.Gather}
	}, `SELECT name, backend, model, driver, units, max_block, memory, cache, properties, roof_read, roof_copy, roof_triad,
		ifnull(`+from.since(schemaGather, "roof_gather")+`, 0) FROM device ORDER BY name`)
}

// Sweeps returns the sweeps in the order in which they were last run.
func (db *DB) Sweeps(ctx context.Context) ([]Sweep, error) {
	list, err := db.from().sweeps(ctx)
	return list, db.wrap("reading sweeps", err)
}

func (from source) sweeps(ctx context.Context) ([]Sweep, error) {
	var s Sweep
	fields := []field{
		{"s.id", &s.id}, {"s.name", &s.Name}, {"s.title", &s.Title}, {"s.text", &s.Text}, {"s.hash", &s.Hash},
		{"s.protocol", &s.ProtocolText}, {"s.version", &s.Version}, {"s.started", moment{&s.Started}},
		{"ifnull(n.trials, 0)", &s.Trials},
		{"ifnull(a.finals, 0)", &s.Finals}, {"ifnull(a.spreads, 0)", &s.Spreads},
	}
	known := from.schema >= schemaMeasurement
	if known {
		for i, into := range s.fields() {
			fields = append(fields, field{"s." + sweepColumns[i], into})
		}
	}

	var list []Sweep
	rows, err := from.QueryContext(ctx, "SELECT "+expressions(fields)+" FROM sweep s LEFT JOIN ("+trialsOfSweeps+
		") n ON n.sweep = s.id LEFT JOIN ("+from.repeatsOfSweeps()+") a ON a.sweep = s.id ORDER BY ifnull("+
		from.since(schemaUsed, "s.used")+", s.started), s.id")
	err = readRows(rows, err, targets(fields), func() {
		if !known {
			s.Protocol, s.Search = legacySweep(s.ProtocolText, s.Text)
		}
		list = append(list, s)
	})
	return list, err
}

// Kernels returns the kernels, ordered by name and, for several sources of one
// kernel, in the order in which they came.
func (db *DB) Kernels(ctx context.Context) ([]Kernel, error) {
	list, err := db.from().kernels(ctx)
	return list, db.wrap("reading kernels", err)
}

// Definition returns the definition of the kernel of a trial, nil unless a sweep defines it.
func (db *DB) Definition(ctx context.Context, identity string) (own *kernels.Own, err error) {
	list, err := texts(ctx, db.read, `SELECT k.definition FROM trial t JOIN kernel k ON k.id = t.kernel
		WHERE t.identity = ? AND k.definition IS NOT NULL LIMIT 1`, identity)
	if err == nil && len(list) > 0 {
		err = json.Unmarshal([]byte(list[0]), &own)
	}
	return own, db.wrap("reading the definition of a kernel", err)
}

func (from source) kernels(ctx context.Context) ([]Kernel, error) {
	type row struct {
		Kernel
		definition string
	}
	rows, err := collect(ctx, from, func(r *row) []any {
		return []any{&r.Name, &r.Paper, &r.Format, &r.Digest, orZero(&r.definition)}
	}, `SELECT name, paper, format, digest, `+from.since(schemaOwn, "definition")+` FROM kernel ORDER BY name, id`)
	var list []Kernel
	for _, r := range rows {
		if r.definition != "" && json.Unmarshal([]byte(r.definition), &r.Own) != nil {
			r.Own = nil // as if nothing were known
		}
		list = append(list, r.Kernel)
	}
	return list, err
}
