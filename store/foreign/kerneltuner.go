package foreign

import (
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
