package configs

import (
	"reflect"
	"testing"
)

// Reading a sweep decides nothing about a matrix of the collection.
func TestSuiteSparse(t *testing.T) {
	for _, tt := range []struct {
		section string
		want    Matrix
	}{
		{`suitesparse = "HB/1138_bus"`, Matrix{Name: "1138_bus", Class: "1138_bus", SuiteSparse: "HB/1138_bus",
			Expand: true}},
		{"suitesparse = \"HB/1138_bus\"\nname = \"bus\"\nclass = \"grid\"\nexpand = false\ncomplex = \"real-part\"",
			Matrix{Name: "bus", Class: "grid", SuiteSparse: "HB/1138_bus", Complex: "real-part"}},
		{"suitesparse = \"Mycielski/mycielskian4\"\ngenerate = \"mycielskian\"\norder = 4",
			Matrix{Name: "mycielskian4", Class: "mycielskian", SuiteSparse: "Mycielski/mycielskian4",
				Generate: "mycielskian", Args: map[string]any{"order": int64(4)}, Expand: true}},
	} {
		s, err := Parse("s.toml", []byte("[[matrix]]\n"+tt.section+"\n[[kernel]]\nname = \"cpu_csr\"\n"))
		if err != nil {
			t.Fatal(err)
		}
		m := s.Matrices[0]
		if !reflect.DeepEqual(m, tt.want) || m.Resolved() {
			t.Errorf("%+v, want %+v", m, tt.want)
		}

		if real := m.Downloaded("/x"); !real.Resolved() || real.Path != "/x" || real.Generate != "" ||
			real.Name != m.Name {
			t.Errorf("%+v", real)
		}
		if twin := m.AsTwin(); !twin.Resolved() || twin.Name != m.Name+" (twin)" || twin.Class != m.Class {
			t.Errorf("%+v", twin)
		}
	}
}
