package store

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"spmvtune/internal/testing/docs"
	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

var regen = flag.Bool("regen", false, "write the columns of the views into the documentation")

const page = "../docs/database.md"

// Every column of the stable views is explained, in its place.
func TestExplained(t *testing.T) {
	db := create(t)
	var names []string
	for _, v := range Explained {
		names = append(names, v.Name)
		var columns []string
		for _, c := range v.Columns {
			columns = append(columns, c.Name)
		}
		if got := query(t, db, v.Name).Columns; !slices.Equal(got, columns) {
			t.Errorf("%s has the columns\n%v\nexplained are\n%v", v.Name, got, columns)
		}
	}
	if slices.Sort(names); !slices.Equal(names, Views) {
		t.Errorf("explained are %v", names)
	}
}

// The documentation has every column.
func TestDocumentation(t *testing.T) {
	var b strings.Builder
	for _, v := range Explained {
		fmt.Fprintf(&b, "### %s\n\nA row for %s.\n\n| column | what it says |\n|---|---|\n", v.Name, v.Row)
		for _, c := range v.Columns {
			fmt.Fprintf(&b, "| `%s` | %s |\n", c.Name, c.Doc)
		}
		b.WriteString("\n")
	}
	docs.Section(t, page, "<!-- columns -->\n", "<!-- end -->\n", b.String(), *regen)
}

// Every query of the documentation has an answer in a database with all that they ask for.
func TestDocumentedQueries(t *testing.T) {
	db := started(t)
	describe(t, db, testMatrix("ecology1"))
	record(t, db, noisy("grid", 6, 1.1)...)
	double := func(r *trial.Result) { r.Precision = kernels.Float64 }
	record(t, db,
		good("cpu_csr_rows", 32, on("ecology1"), identity("counted"), takes(1), sensed),
		good("cpu_csr", 0, on("ecology1"), takes(4), func(r *trial.Result) { r.Prepare = 1e-3 }),
		good("cpu_csr_rows", 64, on("ecology1"), takes(5), double),
		good("cusparse_csr_alg1", 0, on("ecology1"), takes(3)), good("cpu_coo", 0, on("ecology1"), takes(6)),
		good("coo_atomic", 32, on("ecology1"), failing(trial.Wrong, "row 3")))
	if err := db.SaveCounts(t.Context(), map[string]Counts{"counted": {"occupancy": 0.5}}); err != nil {
		t.Fatal(err)
	}
	decideAll(t, db)

	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	queries := strings.Split(string(text), "\n```sql\n")[1:]
	if len(queries) != 20 {
		t.Errorf("the page has %d queries", len(queries))
	}
	for _, rest := range queries {
		sql, _, _ := strings.Cut(rest, "\n```")
		if len(query(t, db, sql).Rows) == 0 {
			t.Errorf("there is no answer to\n%s", sql)
		}
	}
}
