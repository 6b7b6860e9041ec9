// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
)

// TestClaims: every record says all that is asked of it.
func TestClaims(t *testing.T) {
	list := All()
	testkit.Equal(t, len(list), 20, "claims")
	shipped := configs.Shipped()
	for i, c := range list {
		testkit.Equal(t, c.Number, i+1, "number of claim")
		if c.Text == "" || c.Section == "" || len(kernels.Cited(c.Paper)) != 1 || len(c.Parts) == 0 ||
			len(c.Sweeps) == 0 {
			t.Errorf("claim %d says too little", c.Number)
		}
		for _, name := range c.Sweeps {
			testkit.Check(t, slices.Contains(shipped, name), "claim %d: there is no sweep %s", c.Number, name)
		}
		for _, p := range c.Parts {
			if p.Says == "" || p.Query == "" || p.Above == nil && p.Below == nil ||
				!slices.Contains([]Test{Most, Every, Any, Mean}, p.Test) {
				t.Errorf("claim %d has a part that can't be judged: %q", c.Number, p.Says)
			}
		}
	}
}

func TestNoKeyIsUnknown(t *testing.T) {
	for _, name := range testkit.Must(fs.Glob(data, "data/*.toml")) {
		var file struct{ Claim []Claim }
		meta := testkit.Must(toml.DecodeFS(data, name, &file))
		testkit.Equal(t, len(meta.Undecoded()), 0, "unknown keys of %s: %v", name, meta.Undecoded())
	}
}

func TestRules(t *testing.T) {
	one, two := 1.0, 2.0
	for want, p := range map[string]Part{
		"above 1 in most cases":              {Test: Most, Above: &one},
		"below 2 in every case":              {Test: Every, Below: &two},
		"above 1 and below 2 in some case":   {Test: Any, Above: &one, Below: &two},
		"geometric mean above 1 and below 2": {Test: Mean, Above: &one, Below: &two},
	} {
		testkit.Equal(t, p.Rule(), want, "rule")
	}
}

// TestTests: what a test makes of cases inside of, outside of and across a bound at 1.
func TestTests(t *testing.T) {
	in, out, across := Case{Value: 2, Low: 1.9, High: 2.1}, Case{Value: 0.5, Low: 0.4, High: 0.6},
		Case{Value: 1.1, Low: 0.9, High: 1.3}
	one := 1.0
	for _, tt := range []struct {
		test  Test
		cases []Case
		want  Verdict
	}{
		{Most, []Case{in, in, out}, Holds}, {Most, []Case{in, out, out}, Fails}, {Most, []Case{in, out}, Fails},
		{Most, []Case{in, across, out}, Unknown}, {Most, []Case{in, in, across}, Holds}, {Most, nil, Unknown},
		{Every, []Case{in, in}, Holds}, {Every, []Case{in, across}, Unknown}, {Every, []Case{in, across, out}, Fails},
		{Any, []Case{out, in}, Holds}, {Any, []Case{out, out}, Fails}, {Any, []Case{out, across}, Unknown},
		{Mean, []Case{in, out}, Unknown}, {Mean, []Case{in, in}, Holds}, {Mean, []Case{out, out, in}, Fails},
	} {
		p := Part{Test: tt.test, Above: &one}
		f := Finding{Part: &p, Cases: slices.Clone(tt.cases)}
		p.judge(&f)
		testkit.Equal(t, f.Verdict, tt.want, "%s of %v (%s)", tt.test, tt.cases, f.Words())
	}
	p := Part{Test: Every, Above: &one, Cases: 3}
	f := Finding{Part: &p, Cases: []Case{in, in}}
	p.judge(&f)
	testkit.Equal(t, f.Words(), "2 cases, and it takes 3", "two cases of three: %s", f.Verdict)
}

func TestPaperResults(t *testing.T) {
	const header = "paper,table,device,matrix,kernel,precision,metric,value,unit,caveat\n"
	list := PaperResults()
	testkit.Require(t, len(list) > 0 && strings.HasPrefix(strings.ReplaceAll(string(resultsCSV), "\r", ""), header), "%d results", len(list))
	foreign := map[string]bool{}
	for _, r := range list {
		if r.Paper == "" || r.Matrix == "" || r.Metric == "" || r.Unit == "" || !(r.Value > 0) ||
			r.Precision != kernels.Float32 && r.Precision != kernels.Float64 {
			t.Errorf("%+v says too little", r)
		}
		if _, known := kernels.Lookup(r.Kernel); !known {
			foreign[r.Kernel] = true
		}
	}
	for name := range foreign {
		if !strings.HasPrefix(name, "cusparse_csr") && !strings.HasPrefix(name, "csr_adaptive with one ") &&
			name != "cpu_csr_optimized" {
			t.Errorf("%s is no kernel", name)
		}
	}
}
