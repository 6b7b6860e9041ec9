package configs

import (
	"reflect"
	"slices"
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

// TestFormsOfTwins: names tell the two forms of a twin apart, whoever gives them.
func TestFormsOfTwins(t *testing.T) {
	s, err := Parse("s.toml", []byte(`
[[matrix]]
suitesparse = "Mittelmann/rail4284"
generate = "twin"
of = "rail4284"

[[matrix]]
suitesparse = "Mittelmann/rail4284"
name = "rail"
generate = "twin"
of = "rail4284"
locality = "scattered"

[[matrix]]
generate = "twin"
of = ["cant", "rail4284"]
scale = 0.5

[[matrix]]
generate = "twin"
of = "mouse_gene"
locality = ["published", "scattered"]

[[kernel]]
name = "cpu_csr"
`))
	if err != nil {
		t.Fatal(err)
	}

	var names []string
	for _, m := range s.Matrices {
		if m.SuiteSparse != "" {
			m = m.AsTwin()
		}
		names = append(names, m.Name)
	}
	want := []string{"rail4284 (twin, locality published)", "rail (twin, locality scattered)", "twin-cant-0.5",
		"twin-rail4284-0.5-published", "twin-mouse_gene-published", "twin-mouse_gene-scattered"}
	if !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}
