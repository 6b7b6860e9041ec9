// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/trial"
)

// A Judgement is what the trials of a device say of a claim.
type Judgement struct {
	*Claim
	Device  string    `json:"device"`
	Verdict Verdict   `json:"verdict"`
	Parts   []Finding `json:"parts"` // The findings on the parts of the claim, in their order.
}

// A Finding is what the trials of a device say of a part.
type Finding struct {
	Part    *Part   `json:"-"`
	Says    string  `json:"says"`
	Rule    string  `json:"rule"`
	Verdict Verdict `json:"verdict"`
	// In, Out and Across count the cases by where they stand.
	In        int         `json:"in"`
	Out       int         `json:"out"`
	Across    int         `json:"across"`
	Mean      float64     `json:"mean,omitempty"` // The geometric mean with its interval, 0 if there is none.
	MeanLow   float64     `json:"mean_low,omitempty"`
	MeanHigh  float64     `json:"mean_high,omitempty"`
	Cases     []Case      `json:"cases"` // The cases by matrix, precision, cache and note.
	Published []Published `json:"published,omitempty"`
	Quoted    string      `json:"quoted,omitempty"`
}

// A Published is a paper's number that is shown beside a part's figures.
type Published struct {
	Matrix    string  `json:"matrix,omitempty"`
	Precision string  `json:"precision,omitempty"`
	Device    string  `json:"device"`
	Value     float64 `json:"value,omitempty"` // The published value. If it is 0, Caveat says what was published.
	Caveat    string  `json:"caveat,omitempty"`
}

// Judge gives the verdict on every claim for every device with good trials, by device
// and number. matrices are those of the database.
func Judge(ctx context.Context, db *store.DB, matrices []trial.Matrix) ([]Judgement, error) {
	return judge(ctx, db, matrices, All())
}

func judge(ctx context.Context, db *store.DB, matrices []trial.Matrix, of []Claim) (list []Judgement, err error) {
	originals := map[string]string{} // of twins
	for i := range matrices {
		if of := matrices[i].TwinOf; of != "" {
			originals[matrices[i].Name] = of
		}
	}

	s, err := db.Scratch(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := prepare(ctx, s, matrices); err != nil {
		return nil, fmt.Errorf("judging claims: %w", err)
	}
	devices, err := s.Query(ctx, "SELECT device FROM devices ORDER BY device")
	if err != nil {
		return nil, fmt.Errorf("judging claims: %w", err)
	}
	names := lists.Of(devices.Rows, func(row []any) string { return text(row[0]) })
	for i := range of {
		claim := &of[i]
		begin := func(name string) (string, *Judgement) { return name, &Judgement{Claim: claim, Device: name} }
		on := lists.Keyed(names, begin)
		for j := range claim.Parts {
			if err := find(ctx, s, &claim.Parts[j], originals, on); err != nil {
				return nil, fmt.Errorf("judging claim %d: %w", claim.Number, err)
			}
		}
		for _, name := range names {
			on[name].Verdict = together(on[name].Parts)
			list = append(list, *on[name])
		}
	}

	slices.SortStableFunc(list, func(a, b Judgement) int { return cmp.Compare(a.Device, b.Device) })
	return list, nil
}

// find adds what the trials say of a part to the judgement of each device.
func find(ctx context.Context, s *store.Scratch, p *Part, originals map[string]string, of map[string]*Judgement) error {
	t, err := s.Query(ctx, p.Query)
	if err != nil {
		return err
	}
	known, err := publishedOf(ctx, s, p)
	if err != nil {
		return err
	}

	cases := map[string][]Case{}
	for _, row := range lists.Records(t.Columns, t.Rows) {
		c := Case{Matrix: text(row["matrix"]), Precision: text(row["precision"]), Cache: text(row["cache"]),
			Note: text(row["note"]), Value: numberOr(row["value"], math.NaN())}
		if math.IsNaN(c.Value) {
			continue
		}
		c.Low, c.High, c.Of = numberOr(row["low"], c.Value), numberOr(row["high"], c.Value), originals[c.Matrix]
		c.Unsure = lacks(row, "low") || lacks(row, "high")
		for _, k := range known {
			if k.Value != 0 && k.Matrix == cmp.Or(c.Of, c.Matrix) && (k.Precision == "" || k.Precision == c.Precision) {
				c.Published = &k.Value
				break
			}
		}
		device := text(row["device"])
		cases[device] = append(cases[device], c)
	}

	for name, j := range of {
		f := Finding{Part: p, Says: p.Says, Rule: p.Rule(), Cases: cases[name], Published: known, Quoted: p.Quoted}
		slices.SortStableFunc(f.Cases, func(a, b Case) int {
			return cmp.Or(cmp.Compare(a.Matrix, b.Matrix), cmp.Compare(a.Precision, b.Precision),
				cmp.Compare(a.Cache, b.Cache), cmp.Compare(a.Note, b.Note))
		})
		p.judge(&f)
		j.Parts = append(j.Parts, f)
	}

	return nil
}

// publishedOf reads what a paper printed about a part.
func publishedOf(ctx context.Context, s *store.Scratch, p *Part) ([]Published, error) {
	if p.Published == "" {
		return nil, nil
	}
	t, err := s.Query(ctx, p.Published)
	if err != nil {
		return nil, err
	}
	list := lists.Of(lists.Records(t.Columns, t.Rows), func(row map[string]any) Published {
		return Published{Matrix: text(row["matrix"]), Precision: text(row["precision"]), Device: text(row["device"]),
			Value: numberOr(row["value"], 0), Caveat: text(row["caveat"])}
	})
	slices.SortStableFunc(list, func(a, b Published) int {
		return cmp.Or(cmp.Compare(a.Matrix, b.Matrix), cmp.Compare(a.Precision, b.Precision),
			cmp.Compare(a.Caveat, b.Caveat))
	})

	return list, nil
}

// Saved converts judgements to what the database keeps.
func Saved(list []Judgement) ([]store.SavedClaim, error) {
	saved := make([]store.SavedClaim, len(list))
	for i := range list {
		j := &list[i]
		figures, err := json.Marshal(map[string]any{"parts": j.Parts})
		if err != nil {
			return nil, fmt.Errorf("claim %d: %w", j.Number, err)
		}
		saved[i] = store.SavedClaim{Claim: j.Number, Device: j.Device, Verdict: string(j.Verdict), Figures: figures}
	}
	return saved, nil
}

// tables are what the claims' queries read, beside the stable views: times are in
// milliseconds, and only trials that count are among them.
//
//	fastest    of each kernel, its parameters and block size the fastest grid size
//	top        of each kernel the fastest configuration
//	sized      of the simple COO kernels every block and grid size
//	matrices   original is the published matrix that a twin stands for, or its own name;
//	           features_ms is how long it took to read the features
//	devices    those with trials
//	published  see the package of that name; tab is the paper's table
const tables = `
CREATE TEMP TABLE fastest AS
	SELECT device, matrix, precision, cache, kernel, params, block, grid, min(ms) AS ms, low, high, gflops
	FROM counting GROUP BY device, matrix, precision, cache, kernel, params, block;
CREATE INDEX temp.fastest_kernel ON fastest (kernel, device, matrix, precision, cache);
CREATE TEMP TABLE top AS
	SELECT device, matrix, precision, cache, kernel, params, block, grid, min(ms) AS ms, low, high, gflops
	FROM fastest GROUP BY device, matrix, precision, cache, kernel;
CREATE INDEX temp.top_kernel ON top (kernel, device, matrix, precision, cache);
CREATE TEMP TABLE sized AS
	SELECT device, matrix, precision, cache, kernel, block, grid, gflops FROM counting
	WHERE kernel IN ('coo_thread_chunk', 'coo_grid_stride', 'coo_warp_chunk', 'coo_block_chunk')
		AND (grid = 256 OR block = 1024);
CREATE INDEX temp.sized_place ON sized (device, matrix, precision, cache, kernel, block);
CREATE TEMP TABLE devices AS SELECT DISTINCT device FROM top;
CREATE TEMP TABLE matrices (matrix PRIMARY KEY, original, nnz, row_mean, row_max, neighbour_rate, features_ms);
CREATE TEMP TABLE published (paper, tab, device, matrix, kernel, precision, metric, value, unit, caveat);
`

// prepare makes the tables.
func prepare(ctx context.Context, s *store.Scratch, matrices []trial.Matrix) error {
	if err := s.Exec(ctx, tables); err != nil {
		return err
	}
	var rows [][]any
	for i := range matrices {
		m := &matrices[i]
		var featuresMS any
		if m.FeaturesSeconds > 0 {
			featuresMS = 1e3 * m.FeaturesSeconds
		}
		rows = append(rows, []any{m.Name, cmp.Or(m.TwinOf, m.Name), m.Nonzeros, orNull(m.RowMean), m.RowMax,
			orNull(m.NeighbourRate), featuresMS})
	}

	if err := s.Fill(ctx, "matrices", rows); err != nil {
		return err
	}
	return s.Fill(ctx, "published", lists.Of(PaperResults(), func(r PaperResult) []any {
		return []any{r.Paper, r.Table, r.Device, r.Matrix, r.Kernel, string(r.Precision), r.Metric,
			r.Value, r.Unit, r.Caveat}
	}))
}

func orNull(x float64) any {
	if math.IsNaN(x) {
		return nil
	}
	return x
}

// lacks reports whether a query has a column, as each has only those that its part needs, and a row has no value there.
func lacks(row map[string]any, column string) bool {
	v, has := row[column]
	return has && v == nil
}

// text returns "" if there is no value.
func text(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// numberOr returns otherwise if there is no value.
func numberOr(v any, otherwise float64) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case int64:
		return float64(v)
	}
	return otherwise
}
