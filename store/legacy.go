package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"spmvtune/configs"
)

// legacySweep reads the numbers of a sweep from its texts. It is for sweeps that were recorded
// before the numbers had columns, and for journals, which have only the texts.
func legacySweep(protocol, text string) (configs.Protocol, configs.Search) {
	p := configs.Protocol{Warmup: 1}
	for _, setting := range strings.Fields(protocol) {
		name, value, _ := strings.Cut(setting, "=")
		switch name {
		case "warmup":
			fmt.Sscan(value, &p.Warmup)
		case "samples":
			fmt.Sscanf(value, "%d..%d", &p.Samples[0], &p.Samples[1])
		case "target":
			fmt.Sscan(value, &p.Target)
		case "budget":
			p.Budget, _ = time.ParseDuration(value) // what can't be read is not known
		case "seed":
			fmt.Sscan(value, &p.Seed)
		case "slow":
			fmt.Sscan(value, &p.Slow)
		}
	}

	return p, configs.SearchOf([]byte(text))
}

// fillFacts fills in columns that older schemas lacked: which matrices are twins, the numbers
// of sweeps, and which trials do not count because a search measured them only briefly.
func fillFacts(ctx context.Context, tx *sql.Tx) error {
	from := source{tx, schemaFeaturesSeconds} // twins are read from the sources
	matrices, err := from.matrices(ctx)
	if err != nil {
		return err
	}

	for _, m := range matrices {
		if m.TwinOf == "" {
			continue
		}
		if _, err := tx.ExecContext(ctx, "UPDATE matrix SET twin_of = ?, twin_scale = ? WHERE hash = ?",
			m.TwinOf, m.TwinScale, m.Hash); err != nil {
			return err
		}
	}

	sweeps, err := from.sweeps(ctx)
	if err != nil {
		return err
	}
	for _, s := range sweeps {
		set := strings.Join(sweepColumns, " = ?, ") + " = ?"
		if _, err := tx.ExecContext(ctx, "UPDATE sweep SET "+set+" WHERE id = ?",
			append(sweepValues(s.Protocol, s.Search), s.id)...); err != nil {
			return err
		}
	}

	return decideAgain(ctx, tx, schemaMeasurement, "t.stop = 'search'")
}
