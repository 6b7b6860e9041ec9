package configs

import (
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"spmvtune/tuner/search"
)

// Search says which points of the space are tried.
type Search struct {
	// Strategy is one of the strategies of package tuner/search.
	Strategy string
	// Trials bounds the trials per matrix and cache state; 0: no bound.
	Trials int
	// Time bounds the time of the whole sweep; 0: no bound.
	Time time.Duration
	// Rule is a file for the strategy "rule": rule.json or a database, or the name of one that comes
	// with the program. "" stands for the one of them for the device.
	Rule string
	// Top is how many configurations of a rule's shortlist the strategy "rule" measures; 0: as many
	// as the rule is judged by.
	Top int
	// Shuffled says that the matrices are in an order that mixes their sections.
	Shuffled bool
}

// ownRules are the names of the rules that come with the program.
var ownRules = strings.Join(search.Rules, " or ")

// keys are those of [search]. find gives the files of a path.
func (s *Search) keys(find finder) section {
	return section{
		{"strategy", `"grid"`, "see below",
			choice(&s.Strategy, search.Names()...)},
		{"order", `"file"`, "of matrices; shuffled: mix the sections, so that a part of the sweep is like the whole",
			s.readOrder},
		{"budget", `{ trials = 0, time = "0s" }`, "most trials per matrix, most time in all; 0: no bound",
			s.readBudget},
		{"rule", `"rule.json"`, "a rule.json, a database, or " + ownRules + "; default: h100 on an H100, else h200",
			func(t *table, key string) { s.readRule(t, key, find) }},
		{"top", "3", "how many configurations of the rule's shortlist are measured",
			s.readTop},
	}
}

// search reads [search].
func (t *table) search(find finder) Search {
	s := Search{Strategy: search.Strategies[0].Name}
	t.read(s.keys(find))

	budget := t.section("budget")
	if s.Strategy == "random" && !budget.has("trials") && !budget.has("time") {
		t.fail("strategy", "give budget = { trials = 100 }", "a random search without a budget tries everything")
	}
	return s
}

func (s *Search) readOrder(t *table, key string) {
	const file, shuffled = "file", "shuffled"
	order := file
	t.choice(key, &order, []string{file, shuffled})
	s.Shuffled = order == shuffled
}

func (s *Search) readBudget(t *table, key string) {
	t.section(key).read(section{
		{name: "trials", read: count(&s.Trials, 0)},
		{name: "time", read: duration(&s.Time, false)},
	})
}

func (s *Search) readRule(t *table, key string, find finder) {
	t.text(key, &s.Rule)
	if s.Rule == "" {
		return
	}
	if s.Strategy != search.Rule {
		t.fail(key, `write strategy = "rule", or leave it out`, "only that strategy has a rule")
		return
	}

	if slices.Contains(search.Rules, s.Rule) {
		return
	}
	found, err := find(s.Rule)
	if err != nil {
		t.fail(key, "spmvtune learn -o rule.json makes one; "+ownRules+" comes with spmvtune", "%v", err)
		return
	}
	s.Rule = found[0]
}

func (s *Search) readTop(t *table, key string) {
	count(&s.Top, 1)(t, key)
	if s.Top > 0 && s.Strategy != search.Rule {
		t.fail(key, `write strategy = "rule", or leave it out`, "only that strategy has a shortlist")
	}
}

// SearchOf returns the strategy of a sweep's text as a database keeps it, its rule and its
// shortlist, and its budget of trials. A value that can't be read any more counts as missing.
func SearchOf(text []byte) Search {
	var file struct {
		Search struct {
			Strategy string
			Rule     string
			Top      int
			Budget   struct{ Trials int }
		}
	}

	s := Search{Strategy: search.Strategies[0].Name}
	if err := toml.Unmarshal(text, &file); err != nil {
		return s
	}
	if file.Search.Strategy != "" {
		s.Strategy = file.Search.Strategy
	}

	s.Rule, s.Trials = file.Search.Rule, file.Search.Budget.Trials
	s.Top = max(0, file.Search.Top)
	return s
}
