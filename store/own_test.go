package store

import (
	"reflect"
	"testing"

	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// The definition of a kernel that a sweep brings is kept with its source, and goes along from one
// database to another.
func TestOwnKernelsAreKept(t *testing.T) {
	own := kernels.Own{
		Kernel: kernels.Kernel{Name: "mine", Backend: "cpu", Format: kernels.COO, Guest: true},
		Entry:  "f", File: "m.c", Files: map[string]string{"m.c": "text with ' and \x00"},
	}
	run := testRun()
	run.Sources["mine"] = "digest"
	run.Own = []kernels.Own{own}
	from, to := create(t), create(t)
	imports(t, from, Batch{Run: &run, Matrices: []trial.Matrix{testMatrix("grid")}, Results: []trial.Result{good("mine", 64)}})
	if _, err := to.Import(t.Context(), from.batches(t.Context(), nil)); err != nil {
		t.Fatal(err)
	}
	for _, db := range []*DB{from, to} {
		list, err := db.Kernels(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		known := 0
		for _, k := range list {
			if k.Own != nil {
				known++
				if k.Name != "mine" || k.Format != kernels.COO || !reflect.DeepEqual(*k.Own, own) {
					t.Errorf("%s is %+v", k.Name, k.Own)
				}
			}
		}
		if known != 1 {
			t.Errorf("%d kernels have a definition", known)
		}
	}
}
