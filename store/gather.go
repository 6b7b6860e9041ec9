package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
)

// Gather makes a database at path, which must not exist yet, of the trials of others
// that choice allows, with all that belongs to them; and settles their ties. A device
// that several of them have is one, and so is a matrix, by content. Of a trial that
// several have, the first that ended well is kept; of a configuration, the latest
// measurement counts, as in any database. What no trial refers to is left out.
//
// The others are only read, whatever version wrote them.
func Gather(ctx context.Context, path string, from []string, choice Choice) (*DB, error) {
	if len(from) == 0 {
		return nil, errors.New("gathering trials: from no database")
	}
	if err := copyTo(ctx, path, from[0]); err != nil {
		return nil, err
	}
	db, err := Open(path)
	if err != nil {
		return nil, err
	}
	for _, name := range from[1:] {
		if err := db.unite(ctx, name); err != nil {
			return nil, errors.Join(fmt.Errorf("adding %s: %w", name, err), db.Close())
		}
	}
	if err = db.keep(ctx, choice); err == nil {
		_, err = db.Settle(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// copyTo copies the database from to a new file at path.
func copyTo(ctx context.Context, path, from string) error {
	abs, options, err := readable(from)
	if err != nil {
		return err
	}
	source := connect(abs, options, nil)
	defer source.Close()
	if _, err := source.ExecContext(ctx, "VACUUM INTO ?", path); err != nil {
		return fmt.Errorf("copying database: %w", failed(abs, err))
	}
	return nil
}

// unite adds what the database of this name has.
func (db *DB) unite(ctx context.Context, name string) (err error) {
	other := db.path + ".other" // brought up to date, which the original may not be
	defer func() { err = errors.Join(err, os.RemoveAll(other)) }()
	if err := copyTo(ctx, other, name); err != nil {
		return err
	}
	from, err := Open(other)
	if err != nil {
		return err
	}
	devices, err := from.Devices(ctx)
	var matrices []Matrix
	if err == nil {
		matrices, err = from.Features(ctx)
	}
	if err := errors.Join(err, from.Close()); err != nil {
		return err
	}
	conn, err := db.write.Conn(ctx)
	if err != nil {
		return failed(db.path, err)
	}
	defer conn.Close()
	uri := url.URL{Scheme: "file", Path: filepath.ToSlash(other)}
	if _, err := conn.ExecContext(ctx, "ATTACH ? AS other", uri.String()); err != nil {
		return failed(other, err)
	}
	defer func() {
		_, e := conn.ExecContext(context.WithoutCancel(ctx), "DETACH other")
		err = errors.Join(err, e)
	}()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return failed(db.path, err)
	}
	defer tx.Rollback()
	if err := uniteRows(ctx, tx, devices, matrices); err != nil {
		return failed(db.path, err)
	}
	return tx.Commit()
}
