// SPDX-License-Identifier: Apache-2.0

package store_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/store"
	"example.org/spmvtune/store/importer"
	"example.org/spmvtune/tuner/trial"
)

// A program opens the results.db of a run and asks for the best configuration of a matrix.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := run(ctx, dir) // as spmvtune run leaves it: spmvtune-out/NAME/results.db

	db, err := store.OpenCurrent(ctx, path) // only reads
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	best, err := db.Best(ctx, store.Filter{Matrix: "grid", Precision: kernels.Float32})
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range best {
		fmt.Printf("%s: %s, block %d, %.1f µs, %d tied\n", b.Matrix, b.Kernel, b.Block, 1e6*b.Time, b.TieSize)
	}

	err = db.Trials(ctx, store.Filter{Matrix: "grid"}, func(r *store.Row) error {
		if r.Status == trial.OK {
			fmt.Printf("%s with a block of %d: %.2f GFLOP/s\n", r.Kernel, r.Block, r.GFLOPS)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// grid: csr_vector, block 128, 10.0 µs, 1 tied
	// csr_scalar with a block of 128: 0.25 GFLOP/s
	// csr_vector with a block of 128: 1.00 GFLOP/s
}

// run makes a small database in dir.
func run(ctx context.Context, dir string) string {
	path := filepath.Join(dir, "results.db")
	m, err := importer.Read(importer.File{Name: "times.csv", Content: strings.NewReader(
		"matrix,rows,cols,nnz,kernel,block,time_us\ngrid,1000,1000,5000,csr_vector,128,10\n" +
			"grid,1000,1000,5000,csr_scalar,128,40\n")}, nil,
		importer.Options{Device: "A card", Precision: kernels.Float32, Cache: trial.Warm})
	if err != nil {
		log.Fatal(err)
	}
	db, err := store.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if err := m.Record(ctx, db, "example", time.Now(), func(int) {}); err != nil {
		log.Fatal(err)
	}
	if _, err := db.DecideTies(ctx); err != nil {
		log.Fatal(err)
	}
	return path
}
