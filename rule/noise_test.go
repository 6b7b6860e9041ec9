package rule

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"spmvtune/sparse"
)

// A rule says that its shares are those of trials that can't be told apart, where the text, an
// evaluation and a selection show them.
func TestRuleNamesNoise(t *testing.T) {
	world := func(tied bool) []Observation {
		var obs []Observation
		for i, name := range []string{"m1", "m2", "m3"} {
			f := sparse.Features{Rows: 100, Cols: 100, Nonzeros: 1000 * (i + 1), RowMean: 10}
			fast, slow := observe(name, f, config("a", 32, 1), 1), observe(name, f, config("b", 32, 1), 3)
			fast.Tied, slow.Tied = true, tied && name != "m3"
			obs = append(obs, fast, slow)
		}
		return obs
	}
	const want = "On 2 of 3 matrices, configurations can't be told from the oracle"
	for _, tied := range []bool{true, false} {
		obs := world(tied)
		r := learn(t, obs, DefaultOptions)
		var text, evaluation bytes.Buffer
		list, err := Evaluate(context.Background(), r, obs, DefaultOptions)
		if err == nil {
			err = WriteEvaluation(&evaluation, r, list)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := r.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		for where, b := range map[string]string{"rule": text.String(), "evaluation": evaluation.String(),
			"selection": strings.Join(r.Selectors[0].Caveats(), "\n")} {
			words := strings.Join(strings.Fields(b), " ")
			if strings.Contains(words, want) != tied {
				t.Errorf("tied %v: the %s says %s", tied, where, words)
			}
			if tied && !strings.Contains(words, "up to 3.00 times as slow") {
				t.Errorf("the %s does not say how slow: %s", where, words)
			}
		}
	}
}
