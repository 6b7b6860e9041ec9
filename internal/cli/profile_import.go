package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"spmvtune/internal/base/files"
	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/kernels/cuda"
	"spmvtune/store"
	"spmvtune/store/importer"
)

// trialsMark begins the line of a script's output that says what the table after it is of: the number
// of products, and the trials.
const trialsMark = "==TRIALS== "

// print prints a script that counts what trials do, for a user who may. What it prints is imported.
func (p *profileCommand) print(ctx context.Context, w io.Writer, db *store.DB) error {
	trials, err := p.choose(ctx, w, db)
	if err != nil {
		return err
	}
	ncu, err := findNCU()
	if err != nil {
		ncu = "ncu" // of the machine that counts
	}
	fmt.Fprintln(w, "export LC_ALL=C")
	for _, group := range together(trials) {
		if k, err := definition(ctx, db, &group[0]); err != nil || k.Backend != "cuda" {
			continue
		}
		line, products, err := ncuLine(ncu, db.Path(), group)
		if err != nil {
			return err
		}
		mark := trialsMark + strconv.Itoa(products)
		for i := range group {
			mark += " " + group[i].ID
		}
		fmt.Fprintf(w, "echo %s\n%s\n", term.Shell(mark), term.Shell(line...))
	}
	return nil
}

// mostTable is the most that is read of a table.
const mostTable = 1 << 28

// imported keeps what a script of print has counted.
func (p *profileCommand) imported(ctx context.Context, w io.Writer, db *store.DB) error {
	text, err := files.ReadFile(p.table, mostTable)
	if err != nil {
		return err
	}
	counts, missing := map[string]store.Counts{}, []string(nil)
	parts := bytes.Split(text, []byte(trialsMark))
	for i, part := range parts[1:] {
		before := bytes.Count(bytes.Join(parts[:i+1], nil), []byte("\n"))
		if missing, err = readPart(ctx, db, p.table, part, before, counts); err != nil {
			return command.WithHint(err, "nothing was kept")
		}
	}
	if len(parts) == 1 {
		return command.WithHint(fmt.Errorf("%s has no line that begins with %s", p.table, trialsMark),
			"make it with the script that spmvtune profile --print prints; docs/profiling.md has an example")
	}
	if err := db.SaveCounts(ctx, counts); err != nil {
		return err
	}
	fmt.Fprintf(w, "%s counted\n", term.Trials(len(counts)))
	if len(missing) > 0 {
		fmt.Fprintf(w, "note: %s does not have %s\n", p.table, strings.Join(missing, ", "))
	}
	return nil
}

// readPart reads the line after the mark, and the table. There are so many lines before it.
func readPart(ctx context.Context, db *store.DB, name string, part []byte, before int,
	counts map[string]store.Counts) (missing []string, err error) {
	first, table, _ := bytes.Cut(part, []byte("\n"))
	words := strings.Fields(string(first))
	if len(words) < 2 {
		return nil, fmt.Errorf("%s:%d: no trials are named", name, before+1)
	}
	products, err := strconv.Atoi(words[0])
	if err != nil || products < 1 {
		return nil, fmt.Errorf("%s:%d: %q is no number of products", name, before+1, words[0])
	}
	var trials []store.Row
	for _, id := range words[1:] {
		list, err := db.Results(ctx, store.Filter{ID: id})
		if err != nil {
			return nil, err
		}
		if len(list) == 0 {
			return nil, fmt.Errorf("%s:%d: the database has no trial %s in force", name, before+1, id)
		}
		trials = append(trials, list[0])
	}

	table = slices.Concat(bytes.Repeat([]byte("\n"), before+1), table)
	list, err := countsOf(importer.File{Name: name, Content: bytes.NewReader(table)}, trials, products)
	for i := range list {
		counts[trials[i].ID], missing = list[i].Counts, list[i].missing
	}
	return missing, err
}

// countsOf reads what ncu has counted of so many products of each of some trials.
func countsOf(f importer.File, trials []store.Row, products int) ([]counted, error) {
	launches, missing, err := importer.ReadProfile(f)
	if err != nil {
		return nil, err
	}
	parts := importer.Split(launches, cuda.Mark)
	if len(parts) != len(trials) {
		return nil, fmt.Errorf("%s has products of %d trials, and not of %d", f.Name, len(parts), len(trials))
	}
	list := make([]counted, len(trials))
	for i, t := range trials {
		list[i].missing = missing
		list[i].Counts, list[i].of = importer.OfProduct(parts[i], cuda.Entry(t.Config, t.Rows, t.NNZ), products)
	}
	return list, nil
}
