package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/mattn/go-sqlite3"

	"spmvtune/configs"
)

// relations lists the views and then the tables, each by name.
func relations(ctx context.Context, db *sql.DB) ([]string, error) {
	return texts(ctx, db, `SELECT name FROM sqlite_master
		WHERE type IN ('view', 'table') AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY type DESC, name`)
}

// allColumns lists the names of the columns of all views and tables, once each.
func allColumns(ctx context.Context, db *sql.DB) ([]string, error) {
	return texts(ctx, db, `SELECT DISTINCT c.name FROM sqlite_master m, pragma_table_info(m.name) c
		WHERE m.type IN ('view', 'table') ORDER BY c.name`)
}

// Schemas that added something. A file of an older one, which is only read, lacks it.
const (
	schemaOrigin          = 2 // where trials were measured, and what sensors said
	schemaPattern         = 3
	schemaFeatures        = 4
	schemaSentinel        = 5
	schemaTies            = 6
	schemaGather          = 7 // the bandwidth of random reads
	schemaSeconds         = 8
	schemaFeaturesSeconds = 9
	schemaFinal           = 10
	schemaProfile         = 11
	schemaMeasurement     = 12 // versions of measurements, twins, numbers of protocols
	schemaSpread          = 13 // repeats of trials that were chosen at random
	schemaAnother         = 15 // times that another run finds
	schemaHost            = 16 // what others did to the processor
	schemaCounters        = 18 // counters by name
	schemaOwn             = 19 // definitions of kernels that a sweep brings
	schemaAsked           = 21 // when a run last wanted a trial that was known
	schemaUsed            = 22 // when a run last used a sweep
)

// texts returns the single text column that a query gives.
func texts(ctx context.Context, db queryer, query string, args ...any) ([]string, error) {
	return collect(ctx, db, func(s *string) []any { return []any{s} }, query, args...)
}

// A queryer is a database or a transaction.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// applicationID marks our files in SQLite's header: "SpMV".
const applicationID = 0x53704d56

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrations are the steps of the schema, in the order of their files' names. A
// file with user_version n has had the first n of them.
var migrations = readMigrations()

func readMigrations() []string {
	const folder = "migrations"
	entries, _ := migrationFiles.ReadDir(folder) // sorted; what is embedded can be read
	texts := make([]string, len(entries))
	for i, e := range entries {
		text, _ := migrationFiles.ReadFile(path.Join(folder, e.Name()))
		texts[i] = string(text)
	}
	return texts
}

// migrate brings the schema up to date, each step in a transaction of its own.
//
// Changing to a write-ahead log, which the first use of the connection does, is
// refused at once instead of waiting while another process creates the same
// file; so it is tried again for a while.
func migrate(ctx context.Context, db *sql.DB, path string) error {
	const pause = 10 * time.Millisecond
	for deadline := time.Now().Add(busy); ; {
		done, err := migrateOne(ctx, db)
		if code, ok := sqliteCode(err); ok && code == sqlite3.ErrBusy && time.Now().Before(deadline) {
			time.Sleep(pause)
			continue
		}
		if err != nil {
			return fmt.Errorf("bringing the schema up to date: %w", failed(path, err))
		}
		if done {
			return nil
		}
	}
}

// migrateOne applies the next step. The version is read inside the transaction,
// because another process may be creating the same file.
func migrateOne(ctx context.Context, db *sql.DB) (done bool, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer tx.Rollback()
	var version int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return false, err
	}

	if version >= len(migrations) {
		return true, nil
	}
	stamp := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, version+1)
	if _, err := tx.ExecContext(ctx, migrations[version]+";\n"+stamp); err != nil {
		return false, fmt.Errorf("migration %d: %w", version+1, err)
	}
	if version+1 == schemaMeasurement {
		if err := fillFacts(ctx, tx); err != nil {
			return false, fmt.Errorf("migration %d: %w", version+1, err)
		}
	}

	return false, tx.Commit()
}

// A header is what a file says about itself.
type header struct {
	application, version, objects int
}

// readHeader reads it with the given way of opening.
func readHeader(ctx context.Context, path string, options url.Values) (h header, err error) {
	db := connect(path, options, nil)
	defer func() { err = errors.Join(err, db.Close()) }()
	tx, err := db.BeginTx(ctx, nil) // one moment: another process may be creating the file
	if err != nil {
		return h, failed(path, err)
	}
	defer tx.Rollback()

	for _, q := range []struct {
		sql string
		dst *int
	}{
		{"SELECT count(*) FROM sqlite_master", &h.objects},
		{"PRAGMA application_id", &h.application},
		{"PRAGMA user_version", &h.version},
	} {
		if err := tx.QueryRowContext(ctx, q.sql).Scan(q.dst); err != nil {
			return h, failed(path, err)
		}
	}

	return h, nil
}

// check refuses a file that is not ours or that this program does not know, and returns
// the version of its schema. A file without a schema is ours: its version is 0.
func check(ctx context.Context, path string, options url.Values) (schema int, err error) {
	h, err := readHeader(ctx, path, options)
	switch {
	case err != nil:
		return 0, err
	case h == header{}:
		return 0, nil
	case h.application != applicationID:
		return 0, fmt.Errorf("%s is an SQLite database of another program: give another path", path)
	case h.version > len(migrations):
		return 0, fmt.Errorf("%s was written by a newer version of this program (schema %d, this one knows %d): "+
			"update the program", path, h.version, len(migrations))
	case h.version < 0:
		return 0, fmt.Errorf("database %s: its schema has the version %d: %w", path, h.version, errDamaged)
	case h.version == 0:
		return 0, nil
	}

	return h.version, checkValues(ctx, path, options, h.version)
}

// errDamaged says that a file is not what was written.
var errDamaged = errors.New("the file is damaged")

// Damaged reports whether an error of opening or importing says that a file is not what was written:
// statements of this program's own are wrong where the schema is.
func Damaged(err error) bool {
	code, ok := sqliteCode(err)
	return errors.Is(err, errDamaged) || ok && code == sqlite3.ErrError
}

// A foreign error says in its own words that a file was never this program's, or was damaged.
type foreign struct{ error }

func (foreign) Is(target error) bool { return target == errDamaged }

// wrap says what an error interrupted. It returns nil if there is none.
func (db *DB) wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, failed(db.Path(), err))
}

// failed adds the file's name to an error of SQLite, and what it means for the
// user where SQLite's own words do not say.
func failed(path string, err error) error {
	if code, ok := sqliteCode(err); ok {
		switch code {
		case sqlite3.ErrNotADB:
			return foreign{fmt.Errorf("%s is not an SQLite database: give another path", path)}
		case sqlite3.ErrCorrupt:
			return fmt.Errorf("database %s: %w: %w", path, err, errDamaged)
		case sqlite3.ErrBusy, sqlite3.ErrLocked:
			return fmt.Errorf("database %s is in use by another process: %w", path, err)
		case sqlite3.ErrFull:
			return fmt.Errorf("database %s: %w: free some space and run again; what is recorded is kept", path, err)
		}
	}

	return fmt.Errorf("database %s: %w", path, err)
}

// sqliteCode returns the primary error code in err's chain.
func sqliteCode(err error) (sqlite3.ErrNo, bool) {
	e, ok := errors.AsType[sqlite3.Error](err)
	return e.Code, ok
}

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
