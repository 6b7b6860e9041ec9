// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.org/spmvtune/internal/base/lists"
)

// blockNames are the parameters whose product is the number of threads of a block in Kernel Tuner.
var blockNames = []string{"block_size_x", "block_size_y", "block_size_z"}

// kernelTuner reads a cache of Kernel Tuner. Configurations that failed have no time, and are counted.
func (t *table) kernelTuner(root any) {
	keys := lists.Of(list(get(root, "tune_params_keys")), text)
	cache, _ := get(root, "cache").(object)
	for _, name := range sortedKeys(cache) {
		time, timed := get(cache[name], "time"), get(cache[name], "time") != nil
		if _, number := time.(json.Number); timed && !number {
			t.failed++ // its text says how
			continue
		}
		t.tuned(root, cache[name], keys, "time_ms", text(time), get(cache[name], "times"))
	}
}

// t4 reads results of auto-tuners in the T4 format. What failed is counted.
func (t *table) t4(root any) {
	for _, result := range list(get(root, "results")) {
		configuration, is := get(result, "configuration").(object)
		unit, time := "", ""
		for _, m := range list(get(result, "measurements")) {
			if text(get(m, "name")) == "time" {
				unit, time = cmp.Or(text(get(m, "unit")), "ms"), text(get(m, "value"))
			}
		}
		if !is || time == "" || text(get(result, "invalidity")) != "correct" {
			t.failed++
			continue
		}
		t.tuned(get(root, "metadata"), configuration, sortedKeys(configuration), "time_"+unit, time,
			get(get(result, "times"), "runtimes"))
	}
}

// tuned adds a row of an auto-tuner: an entry with values of the parameters keys, a time, and samples in ms. A file that
// this program has exported also says about it the matrix, and the values that stand for no value.
func (t *table) tuned(about, entry any, keys []string, unit, time string, samples any) {
	row := t.begin()
	if matrix, is := get(about, "matrix").(object); is {
		for _, feature := range sortedKeys(matrix) {
			if feature == "matrix" || feature == "class" || isFeature(feature) {
				t.put(row, feature, text(matrix[feature]))
			}
		}
	}
	for column, field := range map[string]string{
		"precision": "precision", "cache": "cache_state", "device": "device_name", "kernel": "kernel_name",
	} {
		if value := text(get(about, field)); value != "" {
			t.put(row, column, value)
		}
	}
	t.put(row, unit, time)
	t.configuration(row, entry, keys, get(about, "unset"))
	for _, value := range list(samples) {
		n, _ := value.(json.Number)
		if ms, err := n.Float64(); err == nil && ms > 0 {
			t.samples[row] = append(t.samples[row], ms/1e3)
		}
	}
}

// configuration reads the parameters of an entry. unset has the values that mean that there is none.
func (t *table) configuration(row int, entry any, keys []string, unset any) {
	block := 1
	var params []string
	for _, key := range keys {
		fields, _ := entry.(object)
		given, there := fields[key]
		value, none := text(given), get(unset, key)
		switch n, err := strconv.Atoi(value); {
		case value == "" && there: // null, or an empty text: it is not set
		case slices.Contains(blockNames, key) && err == nil:
			block *= n
			if key != blockNames[0] {
				params = append(params, setting(key, value))
			}
			t.put(row, "block", strconv.Itoa(block))
		case (key == "grid" || key == "block") && err == nil:
			t.put(row, key, value)
		case key == "kernel":
			t.put(row, "kernel", value)
		case none != nil && value == text(none):
		default:
			params = append(params, setting(strings.TrimPrefix(key, "param_"), value))
		}
	}
	t.put(row, "params", strings.Join(params, " "))
}

// setting is a parameter with its value, both without what stands between several.
func setting(name, value string) string {
	return plainSetting.Replace(name) + "=" + plainSetting.Replace(value)
}

var plainSetting = strings.NewReplacer("%", "%25", " ", "%20", "\t", "%09", "\n", "%0A", "\r", "%0D", "=", "%3D")

// nvbenchTimes are the summaries with the time of a product, in seconds. The first that a state has counts.
var nvbenchTimes = []struct{ tag, cache string }{
	{"nv/cold/time/gpu/median", "cold"}, {"nv/cold/time/gpu/mean", "cold"},
	{"nv/batch/time/gpu/mean", "warm"}, {"nv/cpu_only/time/cpu/mean", ""},
}

// nvbench reads what nvbench writes with --json: a row for each state. An axis is a column where names has it, or where
// it is called as one of ours; others are parameters, which tell states apart. The kernel is the benchmark, unless an
// axis has that name or another column is called for. States that were skipped, and those without a time, are counted.
func (t *table) nvbench(root any, names map[string]string, ours func(column string) bool) {
	devices := map[string]string{}
	for _, d := range list(get(root, "devices")) {
		devices[text(get(d, "id"))] = text(get(d, "name"))
	}
	called := slices.Collect(maps.Values(names))
	for _, b := range list(get(root, "benchmarks")) {
		for _, state := range list(get(b, "states")) {
			time, cache := nvbenchTime(state)
			if time == "" || text(get(state, "is_skipped")) == "true" {
				t.failed++
				continue
			}
			row := t.begin()
			t.put(row, "device", devices[text(get(state, "device"))])
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
				axis("benchmark", text(get(b, "name")))
			} else {
				t.put(row, "kernel", text(get(b, "name")))
			}
			for _, a := range list(get(state, "axis_values")) {
				axis(text(get(a, "name")), text(get(a, "value")))
			}
			t.put(row, cmp.Or(names["params"], "params"), strings.Join(params, " "))
		}
	}
}

// nvbenchTime is the time of a state, "" if it has none, with the state of the cache.
func nvbenchTime(state any) (seconds, cache string) {
	for _, want := range nvbenchTimes {
		for _, summary := range list(get(state, "summaries")) {
			for _, data := range list(get(summary, "data")) {
				if text(get(summary, "tag")) == want.tag && text(get(data, "name")) == "value" {
					return text(get(data, "value")), want.cache
				}
			}
		}
	}
	return "", ""
}
