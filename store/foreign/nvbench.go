package foreign

// nvbenchTimes are the summaries with the time of a product, in seconds. The first that a state has counts.
var nvbenchTimes = []struct{ tag, cache string }{
	{"nv/cold/time/gpu/median", "cold"}, {"nv/cold/time/gpu/mean", "cold"},
	{"nv/batch/time/gpu/mean", "warm"}, {"nv/cpu_only/time/cpu/mean", ""},
}

// nvbench reads what nvbench writes with --json: a row for each state, with a column for each axis. The kernel is
// the benchmark, unless an axis has that name or another column is called for. States that were skipped, and those
// without a time, are counted.
func (t *table) nvbench(root *node, named bool) {
	devices := map[string]string{}
	for _, d := range root.get("devices").list() {
		devices[d.get("id").text()] = d.get("name").text()
	}
	for _, b := range root.get("benchmarks").list() {
		for _, state := range b.get("states").list() {
			time, cache := nvbenchTime(state)
			if time == "" || state.get("is_skipped").text() == "true" {
				t.failed++
				continue
			}
			row := t.begin(state.line)
			column := "kernel"
			if named {
				column = "benchmark"
			}
			t.put(row, column, b.get("name").text())
			t.put(row, "device", devices[state.get("device").text()])
			t.put(row, "time_s", time)
			if cache != "" {
				t.put(row, "cache", cache)
			}
			for _, axis := range state.get("axis_values").list() {
				t.put(row, axis.get("name").text(), axis.get("value").text())
			}
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
