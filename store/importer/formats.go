package importer

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// blockNames are the parameters whose product is the number of threads of a block in Kernel Tuner.
var blockNames = []string{"block_size_x", "block_size_y", "block_size_z"}

// kernelTuner reads a cache of Kernel Tuner. A file that this program has exported also has the matrix, and the
// values that stand for no value. Configurations that failed have no time, and are counted.
func (t *table) kernelTuner(root *node) {
	var keys []string
	for _, k := range root.get("tune_params_keys").list() {
		keys = append(keys, k.text())
	}
	matrix := root.get("matrix")
	for _, name := range root.get("cache").names {
		entry := root.get("cache", name)
		if time := entry.get("time"); time != nil && !time.number() {
			t.failed++ // its text says how
			continue
		}
		row := t.begin(entry.line)
		if matrix != nil {
			for _, feature := range matrix.names {
				if feature == "matrix" || feature == "class" || isFeature(feature) {
					t.put(row, feature, matrix.get(feature).text())
				}
			}
		}
		for column, value := range map[string]string{"precision": root.get("precision").text(),
			"cache": root.get("cache_state").text()} {
			if value != "" {
				t.put(row, column, value)
			}
		}
		t.put(row, "device", root.get("device_name").text())
		t.put(row, "kernel", root.get("kernel_name").text())
		t.put(row, "time_ms", entry.get("time").text())
		t.configuration(row, entry, keys, root.get("unset"))
		for _, ms := range entry.get("times").floats() {
			if ms > 0 {
				t.samples[row] = append(t.samples[row], ms/1e3)
			}
		}
	}
	t.square()
}

// configuration reads the parameters of an entry. unset has the values that mean that there is none.
func (t *table) configuration(row int, entry *node, keys []string, unset *node) {
	block := 1
	var params []string
	for _, key := range keys {
		value := entry.get(key).text()
		switch n, err := strconv.Atoi(value); {
		case value == "" && entry.get(key) != nil: // null, or an empty text: it is not set
		case slices.Contains(blockNames, key) && err == nil:
			block *= n
			if key != blockNames[0] {
				params = append(params, setting(key, value))
			}
			t.put(row, "block", strconv.Itoa(block))
		case key == "grid" && err == nil:
			t.put(row, "grid", value)
		case key == "kernel":
			t.put(row, "kernel", value)
		case unset.get(key) != nil && value == unset.get(key).text():
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
