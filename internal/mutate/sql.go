package main

import (
	"regexp"
	"strings"
)

var (
	isSQL = regexp.MustCompile(`(?i)\b(select|update|insert|delete|from|where)\b`)

	// words has what may turn into something else in SQL. A constraint "not null" stays: the program
	// writes no null there.
	words = regexp.MustCompile(`(?i)<=|>=|<>|!=|<|>| = | \+ | - |\b(and|or|min|max|desc|is not null|is null|not null|not)\b`)

	// clauses tells the = of an assignment from the one of a comparison.
	clauses = regexp.MustCompile(`(?i)\b(set|where|on|when|having|select)\b`)
)

var otherWords = map[string]string{
	"<=": "<", ">=": ">", "<": "<=", ">": ">=", "<>": "=", "!=": "=", " = ": " <> ", " + ": " - ", " - ": " + ",
	"and": "or", "or": "and", "min": "max", "max": "min", "desc": "asc",
	"is not null": "is null", "is null": "is not null", "not": "",
}

// sql notes the mutants of a statement in SQL that begins at an offset.
func (f *finder) sql(offset int, text string) {
	if !isSQL.MatchString(text) {
		return
	}
	for _, at := range words.FindAllStringIndex(text, -1) {
		word := strings.ToLower(text[at[0]:at[1]])
		if word == "not null" {
			continue
		}
		if line := text[strings.LastIndexByte(text[:at[0]], '\n')+1 : at[0]]; strings.Contains(line, "--") {
			continue // a comment
		}
		before := clauses.FindAllString(text[:at[0]], -1)
		if word == " = " && (len(before) == 0 || strings.EqualFold(before[len(before)-1], "set")) {
			continue
		}
		f.addAt(offset+at[0], offset+at[1], otherWords[word])
	}
}

// created finds where a file of SQL begins to create or drop something that has no data.
var created = regexp.MustCompile(`(?m)^(CREATE|DROP) ((?:VIEW|TRIGGER) \w+)`)

// replaced reports whether an offset is in a view or a trigger that later migrations drop.
func replaced(text string, offset int, later string) bool {
	all := created.FindAllStringSubmatch(text[:offset], -1)
	if len(all) == 0 {
		return false
	}
	last := all[len(all)-1]
	return last[1] == "CREATE" && strings.Contains(later, "DROP "+last[2]+";")
}
