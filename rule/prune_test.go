package rule

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spmvtune/internal/base/term"
	"spmvtune/sparse"
)

// unlucky has four matrices on which a tree can be grown that leaving one out
// shows to be worse than always b.
func unlucky() []Observation {
	return duels(duel{rows(1), "a", 1.2}, duel{rows(2), "a", 1.2}, duel{rows(3), "b", 3}, duel{rows(4), "b", 3},
		duel{rows(5), "b", 3},
		duel{rows(6), "a", 1.2}, duel{rows(7), "b", 3})
}

func TestTreeThatDoesNotPayIsPruned(t *testing.T) {
	grown := DefaultOptions
	grown.Prune = false
	tree := learn(t, unlucky(), grown).Selectors[0]
	if tree.Root.Leaf() || tree.Validation.Mean > tree.Validation.SingleConfig {
		t.Fatalf("%d leaves reach %v, a single configuration %v: the test proves nothing",
			tree.Root.Leaves(), tree.Validation.Mean, tree.Validation.SingleConfig)
	}

	r := learn(t, unlucky(), DefaultOptions)
	s := r.Selectors[0]
	if !s.Root.Leaf() || s.Root.Choice.String() != s.Single.String() || len(s.Root.Matrices) != 7 {
		t.Errorf("the rule is %s, want always %v", oneLine(s.Root), s.Single)
	}

	if s.Validation.Unpruned != tree.Validation.Mean {
		t.Errorf("the tree before pruning is said to reach %v, it reaches %v", s.Validation.Unpruned,
			tree.Validation.Mean)
	}
	var text, doc bytes.Buffer
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteJSON(&doc); err != nil {
		t.Fatal(err)
	}

	for _, want := range []string{"was pruned to a single configuration", "tree, never pruned",
		term.Percent(s.Validation.Unpruned), term.Percent(s.Validation.SingleConfig)} {
		if !strings.Contains(strings.Join(strings.Fields(text.String()), " "), want) {
			t.Errorf("the text lacks %q:\n%s", want, &text)
		}
	}

	back, err := Read(&doc)
	if err != nil || back.Selectors[0].Pruned == "" || back.Selectors[0].Pruned != s.Pruned {
		t.Errorf("read back %+v, %v: want the reason %q", back, err, s.Pruned)
	}
}

// The final test judges the tree before pruning, too, and not the pruned one twice.
func TestFinalTestJudgesTheUnprunedTree(t *testing.T) {
	obs := append(unlucky(), duels(duel{rows(2), "a", 1.2})...)
	for i := range obs[len(obs)-2:] {
		o := &obs[len(obs)-2+i]
		o.Matrix, o.Class = "kept", "test"
	}

	opt := DefaultOptions
	opt.Test = []string{"test"}
	c := learn(t, obs, opt).Selectors[0].Test.Cases[0]
	opt.Prune = false
	if grown := learn(t, obs, opt).Selectors[0].Test.Cases[0]; c.Unpruned != grown.Fraction ||
		c.Unpruned == c.Fraction {
		t.Errorf("the tree before pruning is said to reach %v and the pruned one %v; it reaches %v", c.Unpruned,
			c.Fraction, grown.Fraction)
	}
}

// The figure of each matrix left out is that of the rule which Learn gives
// without its family, pruning included.
func TestValidationJudgesWhatIsLearned(t *testing.T) {
	worlds := map[string][]Observation{}
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 11))
		obs := messy(rng, 30)
		if seed%2 == 0 { // something to find
			obs = world(rng, 40, func(f sparse.Features) string {
				if f.RowMean < 30 {
					return "a"
				}
				return "b"
			})
			for i := range obs {
				obs[i].Class = string(rune('a' + obs[i].Features.Cols%7))
			}
		}
		worlds[string(rune('a'+seed))] = obs
	}

	pruned, kept := 0, 0
	for name, obs := range worlds {
		s := learn(t, obs, DefaultOptions).Selectors[0]
		without := map[string]*Rule{}
		for _, c := range s.Validation.Cases {
			others := slices.DeleteFunc(slices.Clone(obs), func(o Observation) bool { return o.Class == c.Class })
			r := without[c.Class]
			if r == nil {
				r = learn(t, others, DefaultOptions)
				without[c.Class] = r
			}

			got, err := r.Select(s.Key(), featuresOf(obs, c.Matrix))
			if err != nil || got.Config.String() != c.Choice.String() {
				t.Errorf("%s: without %s the rule chooses %v (%v), the validation judged %v", name, c.Matrix,
					got.Config, err, c.Choice)
			}

			switch {
			case r.Selectors[0].Pruned != "":
				pruned++
			case !r.Selectors[0].Root.Leaf():
				kept++
			}
		}
	}

	if pruned == 0 || kept == 0 {
		t.Errorf("%d trees were pruned, %d kept: the test proves nothing", pruned, kept)
	}
}

func featuresOf(obs []Observation, matrix string) sparse.Features {
	i := slices.IndexFunc(obs, func(o Observation) bool { return o.Matrix == matrix })
	return *obs[i].Features
}
