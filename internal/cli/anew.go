package cli

import (
	"context"
	"fmt"
	"strings"

	"spmvtune/configs"
	"spmvtune/store"
	"spmvtune/tuner/worker"
)

// anew says what of its protocol a sweep has changed since it was measured last, which makes all of its trials new;
// "" if nothing.
func anew(ctx context.Context, db *store.DB, sweep *configs.Sweep) (string, error) {
	sweeps, err := db.Sweeps(ctx)
	if err != nil {
		return "", err
	}
	before := ""
	for _, s := range sweeps { // the last was run last
		if s.Name == sweep.Name && s.Trials > 0 {
			before = s.ProtocolText
		}
	}
	if before == "" {
		return "", nil
	}
	return protocolChange(before, worker.ProtocolText(sweep.Protocol)), nil
}

// protocolKeys are the keys of a sweep file that are not those of a protocol's text.
var protocolKeys = map[string]string{"budget": "trial_budget"}

// protocolChange says how the texts of two protocols differ.
func protocolChange(before, now string) string {
	was := map[string]string{}
	for word := range strings.FieldsSeq(before) {
		key, value, _ := strings.Cut(word, "=")
		was[key] = value
	}

	var changes []string
	note := func(key, from, to string) {
		if name, other := protocolKeys[key]; other {
			key = name
		}
		switch {
		case from == to:
		case from == "":
			changes = append(changes, fmt.Sprintf("%s = %s was added", key, to))
		case to == "":
			changes = append(changes, fmt.Sprintf("%s = %s was removed", key, from))
		default:
			changes = append(changes, fmt.Sprintf("%s changed from %s to %s", key, from, to))
		}
	}
	for word := range strings.FieldsSeq(now) {
		key, value, _ := strings.Cut(word, "=")
		note(key, was[key], value)
		delete(was, key)
	}
	for word := range strings.FieldsSeq(before) {
		if key, value, _ := strings.Cut(word, "="); was[key] != "" {
			note(key, value, "")
		}
	}
	return strings.Join(changes, ", ")
}
