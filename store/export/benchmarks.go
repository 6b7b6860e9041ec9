// SPDX-License-Identifier: Apache-2.0

package export

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/trial"
)

// writeBenchstat writes the text format of Go's benchmarks (golang.org/design/14313-benchmark-format), which
// benchstat compares: what a place is, then a line for each sample of each trial in it.
func writeBenchstat(ctx context.Context, w io.Writer, db *store.DB, f Selection) (leftOut int, err error) {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "Unit flop/s better=higher\nUnit B/s better=higher\n")
	var last *trial.Case
	leftOut, err = eachTimed(ctx, db, f, func(r *store.Row) error {
		if p := r.Place(); last == nil || p != *last {
			last = &p
			fmt.Fprintf(out, "\ndevice: %s\nmatrix: %s\nprecision: %s\ncache: %s\n\n", line(p.Device), line(p.Matrix),
				p.Precision, line(string(p.Cache)))
		}
		name := "BenchmarkSpMV/" + configName(r, "=")
		for _, s := range samplesOf(r) {
			fmt.Fprintf(out, "%s %d %v ns/op", name, max(r.Batch, 1), scaled(s, 9))
			if r.NNZ > 0 {
				fmt.Fprintf(out, " %.6g flop/s", 2*float64(r.NNZ)/s)
			}
			if r.BytesMin > 0 {
				fmt.Fprintf(out, " %.6g B/s", float64(r.BytesMin)/s)
			}
			out.WriteByte('\n')
		}
		return nil
	})
	return leftOut, cmp.Or(err, out.Flush())
}

// samplesOf are the samples of a trial. One that has none stands for them with its median.
func samplesOf(r *store.Row) []float64 {
	if len(r.Samples) == 0 {
		return []float64{r.Median}
	}
	return r.Samples
}

// configName names a configuration within a benchmark's name. Block and grid come last: numbers after a hyphen at
// its end would be taken for a number of processors.
func configName(r *store.Row, is string) string {
	parts := []string{"kernel" + is + word(r.Kernel)}
	for name, value := range r.Params.All() {
		parts = append(parts, word(name)+is+word(value))
	}
	parts = append(parts, "block"+is+strconv.Itoa(r.Block), "grid"+is+strconv.Itoa(r.Grid))
	return strings.Join(parts, "/")
}

// word is a name as a part of a benchmark's name: white space and slashes, which would end it, become %20 and %2F.
func word(name string) string {
	var b strings.Builder
	for _, c := range name {
		if c == '/' || c == '%' || unicode.IsSpace(c) || !unicode.IsPrint(c) {
			for _, x := range []byte(string(c)) {
				fmt.Fprintf(&b, "%%%02X", x)
			}
			continue
		}
		b.WriteRune(c)
	}
	return b.String()
}

// line is a name on one line.
func line(name string) string {
	return term.Visible(strings.Join(strings.Fields(name), " "))
}

// A googleRun is a repetition of a benchmark as Google Benchmark writes it.
type googleRun struct {
	Name            string  `json:"name"`
	FamilyIndex     int     `json:"family_index"`
	InstanceIndex   int     `json:"per_family_instance_index"`
	RunName         string  `json:"run_name"`
	RunType         string  `json:"run_type"`
	Repetitions     int     `json:"repetitions"`
	RepetitionIndex int     `json:"repetition_index"`
	Threads         int     `json:"threads"`
	Iterations      int     `json:"iterations"`
	RealTime        float64 `json:"real_time"`
	CPUTime         float64 `json:"cpu_time"`
	TimeUnit        string  `json:"time_unit"`
	BytesPerSecond  float64 `json:"bytes_per_second,omitempty"`
	FLOPs           float64 `json:"flops,omitempty"`
}

// writeGoogle writes what Google Benchmark writes with --benchmark_format=json: a repetition for each sample. The
// time of processors is not known, and the format wants one: it is the same. A device that is the only one is in the
// context, so that names are the same on another device.
func writeGoogle(ctx context.Context, w io.Writer, db *store.DB, f Selection) (leftOut int, err error) {
	places, err := db.Places(ctx, f.Filter)
	if err != nil {
		return 0, err
	}
	several := slices.ContainsFunc(places, func(p trial.Case) bool { return p.Device != places[0].Device })
	context := members{"date": time.Now().UTC().Format(time.RFC3339), "executable": "spmvtune",
		"library_build_type": "release"}
	if !several && len(places) > 0 {
		context["device"] = places[0].Device
	}
	out := newStream(w, members{"context": context}, "benchmarks", "[", "]}\n")
	instance := -1
	leftOut, err = eachTimed(ctx, db, f, func(r *store.Row) error {
		instance++
		name := "SpMV/"
		if several {
			name += "device:" + word(r.Device) + "/"
		}
		name += "matrix:" + word(r.Matrix) + "/precision:" + word(string(r.Precision)) + "/cache:" + word(string(r.Cache)) +
			"/" + configName(r, ":")
		samples := samplesOf(r)
		for i, s := range samples {
			ns := scaled(s, 9)
			out.add("", googleRun{Name: name, InstanceIndex: instance, RunName: name, RunType: "iteration",
				Repetitions: len(samples), RepetitionIndex: i, Threads: 1, Iterations: max(r.Batch, 1), RealTime: ns, CPUTime: ns,
				TimeUnit: "ns", BytesPerSecond: float64(r.BytesMin) / s, FLOPs: 2 * float64(r.NNZ) / s})
		}
		return nil
	})
	if err != nil {
		return leftOut, err // a file that ends here reads as one that was cut
	}
	return leftOut, out.close()
}
