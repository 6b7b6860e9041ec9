package foreign

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// nvbenchTimes are the summaries with the time of a product, in seconds. The first that a state has counts.
var nvbenchTimes = []struct{ tag, cache string }{
	{"nv/cold/time/gpu/median", "cold"}, {"nv/cold/time/gpu/mean", "cold"},
	{"nv/batch/time/gpu/mean", "warm"}, {"nv/cpu_only/time/cpu/mean", ""},
}

// nvbench reads what nvbench writes with --json: a row for each state. An axis is a column where names has it, or where
// it is called as one of ours; others are parameters, which tell states apart. The kernel is the benchmark, unless an
// axis has that name or another column is called for. States that were skipped, and those without a time, are counted.
func (t *table) nvbench(root *node, names map[string]string, ours func(column string) bool) {
	devices := map[string]string{}
	for _, d := range root.get("devices").list() {
		devices[d.get("id").text()] = d.get("name").text()
	}
	called := slices.Collect(maps.Values(names))
	for _, b := range root.get("benchmarks").list() {
		for _, state := range b.get("states").list() {
			time, cache := nvbenchTime(state)
			if time == "" || state.get("is_skipped").text() == "true" {
				t.failed++
				continue
			}
			row := t.begin(state.line)
			t.put(row, "device", devices[state.get("device").text()])
			t.put(row, "time_s", time)
			if cache != "" {
				t.put(row, "cache", cache)
			}
			var params []string
			axis := func(name, value string) {
				switch {
				case name == names["params"] && name != "":
					params = append(params, value)
				case slices.Contains(called, name) || ours(name):
					t.put(row, name, value)
				case name != "" && value != "":
					params = append(params, setting(name, value))
				}
			}
			if names["kernel"] != "" {
				axis("benchmark", b.get("name").text())
			} else {
				t.put(row, "kernel", b.get("name").text())
			}
			for _, a := range state.get("axis_values").list() {
				axis(a.get("name").text(), a.get("value").text())
			}
			t.put(row, cmp.Or(names["params"], "params"), strings.Join(params, " "))
		}
	}
	t.square()
}

// nvbenchTime is the time of a state, "" if it has none, with the state of the cache.
func nvbenchTime(state *node) (seconds, cache string) {
	for _, want := range nvbenchTimes {
		for _, summary := range state.get("summaries").list() {
			for _, data := range summary.get("data").list() {
				if summary.get("tag").text() == want.tag && data.get("name").text() == "value" {
					return data.get("value").text(), want.cache
				}
			}
		}
	}
	return "", ""
}
