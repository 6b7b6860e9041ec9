package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"spmvtune/kernels"
)

// A Device is a device that trials ran on.
type Device struct {
	Label string // its name in the views: the model, and more where several drivers were seen
	kernels.Device
	Roof kernels.Roof // the highest that was measured
}

// A Sweep is a sweep file that was run.
type Sweep struct {
	Name, Title string
	Text        string // the file
	Hash        string // SHA-256 of Text
	Protocol    string // as it enters a trial's identity
	Version     string // of the program that last ran it
	Started     time.Time
	Trials      int // recorded under it; a trial that an earlier sweep measured is counted there
}

// A Kernel is the source of a kernel that trials ran.
type Kernel struct {
	Name   string
	Paper  string // the paper's own name
	Format kernels.Format
	Digest string // of the source
}

// Devices returns the devices, ordered by label.
func (db *DB) Devices(ctx context.Context) ([]Device, error) {
	gather, err := db.column(ctx, "device", "roof_gather")
	if err != nil {
		return nil, fmt.Errorf("reading devices: %w", failed(db.path, err))
	}
	list, err := collect(ctx, db.read, func(rows *sql.Rows) (d Device, err error) {
		var properties string
		if err := rows.Scan(&d.Label, &d.Backend, &d.Name, &d.Driver, &d.Units, &d.MaxBlock, &d.Memory, &d.Cache,
			&properties, &d.Roof.Read, &d.Roof.Copy, &d.Roof.Triad, &d.Roof.Gather); err != nil {
			return d, err
		}
		err = json.Unmarshal([]byte(properties), &d.Properties)
		return d, err
	}, `SELECT name, backend, model, driver, units, max_block, memory, cache, properties, roof_read, roof_copy, roof_triad,
		ifnull(`+gather+`, 0) FROM device ORDER BY name`)
	if err != nil {
		return nil, fmt.Errorf("reading devices: %w", failed(db.path, err))
	}
	return list, nil
}

// Sweeps returns the sweeps in the order in which they were first run.
func (db *DB) Sweeps(ctx context.Context) ([]Sweep, error) {
	list, err := collect(ctx, db.read, func(rows *sql.Rows) (s Sweep, err error) {
		var started int64
		err = rows.Scan(&s.Name, &s.Title, &s.Text, &s.Hash, &s.Protocol, &s.Version, &started, &s.Trials)
		s.Started = time.UnixMilli(started).UTC()
		return s, err
	}, `SELECT s.name, s.title, s.text, s.hash, s.protocol, s.version, s.started, ifnull(n.trials, 0)
		FROM sweep s LEFT JOIN (SELECT sweep, count(*) AS trials FROM trial GROUP BY sweep) n ON n.sweep = s.id
		ORDER BY s.started, s.id`)
	if err != nil {
		return nil, fmt.Errorf("reading sweeps: %w", failed(db.path, err))
	}
	return list, nil
}

// Kernels returns the kernels, ordered by name and, for several sources of one
// kernel, in the order in which they came.
func (db *DB) Kernels(ctx context.Context) ([]Kernel, error) {
	list, err := collect(ctx, db.read, func(rows *sql.Rows) (k Kernel, err error) {
		err = rows.Scan(&k.Name, &k.Paper, &k.Format, &k.Digest)
		return k, err
	}, `SELECT name, paper, format, digest FROM kernel ORDER BY name, id`)
	if err != nil {
		return nil, fmt.Errorf("reading kernels: %w", failed(db.path, err))
	}
	return list, nil
}
