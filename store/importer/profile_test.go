// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/store"
)

const (
	occupancy = "sm__warps_active.avg.pct_of_peak_sustained_active"
	threads   = "smsp__thread_inst_executed_per_inst_executed.ratio"
	bytesRead = "dram__bytes_read.sum"
	duration  = "gpu__time_duration.sum"
)

// raw is a table as ncu writes it: the names of metrics, their units, and launches, each with its
// kernel before the values.
func raw(metrics, units []string, launches ...[]string) string {
	quoted := func(cells ...string) string { return `"` + strings.Join(cells, `","`) + "\"\n" }
	text := quoted(slices.Concat([]string{"ID", "Kernel Name"}, metrics)...) +
		quoted(slices.Concat([]string{"", ""}, units)...)
	for i, l := range launches {
		text += quoted(append([]string{fmt.Sprint(i)}, l...)...)
	}
	return text
}

func readProfile(text string) ([]Launch, []string, error) {
	return ReadProfile(File{"ncu.csv", strings.NewReader(text)})
}

// recorded are the launches of a product that ncu 2025.3.1 counted on an H200.
func recorded(t *testing.T, name string) []Launch {
	t.Helper()
	f := testkit.Must(os.Open("testdata/" + name))
	defer f.Close()
	launches, _, err := ReadProfile(File{name, f})
	testkit.Succeed(t, err)
	return launches
}

// Of a product that launches several kernels, what adds up is the sum. Ratios are of the entry that
// is asked for or, in a library, of the kernel that took the longest.
func TestOfProduct(t *testing.T) {
	for _, tt := range []struct {
		file, entry, of string
		want            store.Counts
	}{
		{"ncu-pcsr.csv", "csr_pcsr_sum_f32", "csr_pcsr_sum_f32", store.Counts{"launches": 2, "seconds": 59.232e-6,
			"dram_read_bytes": 91_221_504 + 46_047_744, "occupancy": 0.6908, "warp_efficiency": 23.74 / 32}},
		{"ncu-cusparse.csv", "", "csrmv_v3_kernel", store.Counts{"launches": 3, "seconds": 49.6e-6, "occupancy": 0.5125,
			"dram_read_bytes": 91_996_160 + 186_880 + 9_984, "balance": 74544.45 / 75727, "registers": 56}},
	} {
		got, of := OfProduct(recorded(t, tt.file), tt.entry, 1)
		testkit.Equal(t, of, tt.of, "%s: ratios of", tt.file)
		for name, want := range tt.want {
			testkit.Check(t, math.Abs(got[name]-want) <= 1e-6*want, "%s: %s is %v, want %v", tt.file, name, got[name], want)
		}
		_, kept := got["cycles_mean"]
		testkit.Check(t, !kept, "%s: a part of a counter is kept: %v", tt.file, got)
	}
}

// Of several products the median of each counter is kept, for one product.
func TestOfProducts(t *testing.T) {
	launch := func(entry string, seconds, occupancy float64) Launch {
		return Launch{Entry: entry, Counts: store.Counts{"seconds": seconds, "occupancy": occupancy}}
	}
	parts := Split([]Launch{launch("before", 1, 1),
		{Entry: "gate"}, launch("a", 3, 0.9), launch("b", 1, 0.1), launch("a", 2, 0.5), launch("b", 1, 0.1),
		launch("a", 2, 0.4), launch("b", 1, 0.2), {Entry: "gate"}, launch("c", 7, 1)}, "gate")
	testkit.Require(t, len(parts) == 2 && len(parts[1]) == 1, "split into %v", parts)
	got, of := OfProduct(parts[0], "", 3)
	testkit.Check(t, of == "a" && got["seconds"] == 3 && got["occupancy"] == 0.5 && got["launches"] == 2,
		"%v of %s", got, of)
}

func TestReadProfile(t *testing.T) {
	list, missing, err := readProfile("the program's own line\n==PROF== Connected\n" +
		raw([]string{occupancy, "sm__cycles.avg", threads, bytesRead, duration},
			[]string{"%", "cycle", "", "Kbyte", "us"},
			[]string{"k_f32", "43.75", "anything", "8", "1.5", "1,024.5"},
			[]string{"void k<int>(const int *)", "n/a", "", "", "", ""}) +
		"==PROF== Disconnected\n")
	testkit.Require(t, err == nil && len(list) == 2 && slices.Contains(missing, "dram__bytes_write.sum") &&
		!slices.Contains(missing, threads), "%+v, without %v: %v", list, missing, err)
	l := list[0]
	testkit.Check(t, l.Entry == "k_f32" && len(l.Counts) == 4 && l.Counts["dram_read_bytes"] == 1500 &&
		l.Counts["occupancy"] == 0.4375 && l.Counts["warp_efficiency"] == 0.25 &&
		math.Abs(l.Counts["seconds"]-1024.5e-6) <= 1e-12, "launch %+v", l)
	if l := list[1]; l.Entry != "k" || len(l.Counts) != 0 {
		t.Errorf("launch %+v", l)
	}
}

// Passes over a short kernel differ. A share that is a little above 1 is 1, and one far above it
// was not counted.
func TestShares(t *testing.T) {
	for text, want := range map[string]store.Counts{"116.91": {"occupancy": 1}, "567.91": {}} {
		list, _, err := readProfile(raw([]string{occupancy}, []string{"%"}, []string{"k", text}))
		testkit.Check(t, err == nil && fmt.Sprint(list[0].Counts) == fmt.Sprint(want),
			"%s%%: %v, %v, want %v", text, list, err, want)
	}
}

// Mistakes are told with their lines, all at once.
func TestReadProfileMistakes(t *testing.T) {
	row := func(value string) string { return raw([]string{occupancy}, []string{"%"}, []string{"k_f32", value}) }
	for _, test := range []struct{ text, want string }{
		{"", `no header line`},
		{`"ID","Metric Name"` + "\n", `no column "Kernel Name"`},
		{`"ID","Kernel Name","Metric Name"` + "\n", "run ncu with --page raw"},
		{raw([]string{"sm__cycles.avg"}, []string{""}), "has none of the metrics: collect them with --metrics " + occupancy},
		{raw([]string{occupancy}, []string{"%"}), "ncu.csv has no launch"},
		{row("65,77"), "ncu.csv:3: " + occupancy + ` = "65,77" is not a number`},
		{"==PROF==\n" + row("-1"), "ncu.csv:4: " + occupancy + ` = "-1" is not a number`},
		{row("1") + `"0","7"` + "\n", "ncu.csv:4: the number of fields differs from the header's"},
	} {
		_, _, err := readProfile(test.text)
		testkit.Check(t, err != nil && strings.Contains(err.Error(), test.want), "%q:\n%v\nwant %s", test.text, err, test.want)
	}
}

func FuzzReadProfile(f *testing.F) {
	f.Add(raw([]string{occupancy, duration}, []string{"%", "ns"}, []string{"k_f32", "43.75", "1,024"}))
	f.Add(raw([]string{bytesRead}, []string{"Gbyte"}, []string{"k_f32", "999999999999999999"}))
	f.Add("==PROF==\n\"ID\",\n==\n\"")
	f.Fuzz(func(t *testing.T, text string) {
		list, _, err := readProfile(text)
		if err != nil {
			return
		}
		for _, l := range list {
			for name, v := range l.Counts {
				testkit.Check(t, v >= 0 && (name != "occupancy" || v <= 1), "%s is %v", name, v)
			}
		}
	})
}
