// SPDX-License-Identifier: Apache-2.0

// Package code writes rules as source code for other people's programs: as a C header
// (C99 and C++), as a Go file, as a module for Python, and as a table of launches for CUDA.
//
// Each is a template: an interpreter of a few dozen lines, and tables, which are the same for C and Go. The module for
// Python has the rule in its JSON form. What is written depends on nothing, allocates nothing in C and Go, and follows
// the same tree as rule.Select: a feature that the tree asks for and that is not known (NaN, or infinite)
// gives no choice rather than a wrong one. Equal rules give equal bytes.
package code

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"go/format"
	"go/token"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/rule"
)

// texts are the templates.
//
//go:embed rule.h.tmpl rule.go.tmpl rule.py.tmpl
var texts embed.FS

// WriteC writes r as a header for C99 and C++. All its names begin with name, which is
// made an identifier.
func WriteC(w io.Writer, r *rule.Rule, name string) error {
	return newProgram(r, name, true).write(w, "rule.h.tmpl")
}

// WriteLaunches writes r as a table of launches for CUDA: for each tree a function that
// gives the number of a launch, and a macro that lists the launches, for a switch over
// kernels with compile-time blocks.
func WriteLaunches(w io.Writer, r *rule.Rule, name string) error {
	p := newProgram(r, name, false)
	p.Launches = true
	return p.write(w, "rule.h.tmpl")
}

// WriteGo writes r as a Go file of a package called name, which is made an identifier.
func WriteGo(w io.Writer, r *rule.Rule, name string) error {
	return newProgram(r, name, false).write(w, "rule.go.tmpl")
}

// WritePython writes r as a module for Python 3 that needs nothing: a program, and the rule as JSON,
// without what was measured and where. The name of the module is that of its file.
func WritePython(w io.Writer, r *rule.Rule, _ string) error {
	return newProgram(r, "", false).write(w, "rule.py.tmpl")
}

// A program is a rule in the form that the templates take.
type program struct {
	*rule.Rule
	name      string
	Features  []rule.Feature // those that any tree asks for
	Functions []*function
	Hardware  rule.Hardware // that relative features are of
	Mixed     bool          // the devices differ in it
	Device    string
	Launches  bool // for CUDA
}

// A function is one tree, or an ensemble.
type function struct {
	Name    string
	Doc     []string // lines of its comment
	Choices []kernels.Config
	// Limits are the limits of the choices, see the templates, and Start says where those of each begin.
	Limits []float64
	Start  []int
	// Nodes and Ranked are those of a tree.
	root   *rule.Node
	Nodes  []node
	Ranked []int
	// Ensemble stands in place of root.
	Ensemble *ensemble
}

// A node is a split on one of the features of a program, or a leaf; see the templates.
type node struct {
	Feature      int
	At           float64
	Below, Above int
}

// An ensemble is a rule.Ensemble.
type ensemble struct {
	*rule.Ensemble
	Instead     string    // function that is asked where it is not sure
	Number      []int     // of its features, among those of the program
	Least, Most []float64 // of each feature, where it is sure
	Time        []float64 // sums of Times
}

// write fills a template.
func (p *program) write(w io.Writer, name string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("writing a rule as code: %w", err)
		}
	}()
	text, err := texts.ReadFile(name)
	if err != nil {
		return err
	}
	names := strings.NewReplacer("@@", strings.ToUpper(p.name), "@", p.name)
	t := template.New(name)
	ofCSR := func(feature string) (string, error) {
		var b strings.Builder
		if t.Lookup(feature) == nil {
			return "", nil
		}
		err := t.ExecuteTemplate(&b, feature, nil)
		return b.String(), err
	}
	_, err = t.Funcs(template.FuncMap{"comment": comment, "quoted": quoted, "word": word, "camel": camel,
		"upper": strings.ToUpper, "listed": listed, "single": single, "figures": figures,
		"least": func() float64 { return rule.LeastTime }, "trusted": func() float64 { return rule.Trusted }, "ofCSR": ofCSR,
	}).Parse(names.Replace(string(text)))
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return err
	}
	code := b.Bytes()
	if name == "rule.go.tmpl" {
		if code, err = format.Source(code); err != nil {
			return err
		}
	}
	_, err = w.Write(code)
	return err
}

// newProgram takes the trees of a rule, and its ensembles if they are asked for, under a name for
// the whole.
func newProgram(r *rule.Rule, name string, ensembles bool) *program {
	p := &program{name: identifier(name), Rule: r}
	if len(r.Models) > 0 {
		p.Hardware, p.Device = r.Models[0].Hardware, r.Models[0].Device
	}
	devices := map[string]bool{}
	for i := range r.Models {
		devices[r.Models[i].Device] = true
		p.Mixed = p.Mixed || r.Models[i].Hardware != p.Hardware
	}

	taken := map[string]bool{} // names of functions, without what Go leaves out of them
	add := func(f function, words ...string) string {
		letters := func(name string) string { return strings.ReplaceAll(name, "_", "") }
		f.Name = strings.Join(words, "_")
		for n := 2; taken[letters(f.Name)]; n++ { // devices whose names differ by a sign only
			f.Name = strings.Join(append(words[:len(words):len(words)], strconv.Itoa(n)), "_")
		}
		taken[letters(f.Name)] = true
		p.Functions = append(p.Functions, &f)
		return f.Name
	}
	for i := range r.Models {
		s := &r.Models[i]
		words := []string{string(s.Precision)}
		if s.Cache != "" {
			words = append(words, string(s.Cache))
		}
		if len(devices) > 1 {
			words = append([]string{identifier(s.Device)}, words...)
		}
		tree := add(function{Doc: figures(s, ""), root: s.Root}, words...)
		if s.Sizes != nil {
			add(function{Doc: figures(s, rule.BySizes), root: s.Sizes}, append(words, "by", "sizes")...)
		}
		if e := s.Ensemble; e != nil && ensembles && len(e.Trees) > 0 {
			low, high := e.Bounds()
			add(function{Doc: figures(s, rule.ByEnsemble), Choices: e.Configs,
				Ensemble: &ensemble{Ensemble: e, Instead: tree, Least: low, Most: high}}, tree, "by", "ensemble")
		}
	}

	p.collect()
	for _, f := range p.Functions {
		f.tables(p)
	}
	return p
}

// collect lists the choices of the functions, and the features that these and their limits ask for.
func (p *program) collect() {
	used := map[string]bool{}
	mark := func(sums ...kernels.Sum) {
		for _, t := range slices.Concat(sums...) {
			for _, name := range t.Features {
				used[name] = true
			}
		}
	}
	for _, f := range p.Functions {
		if f.Ensemble != nil {
			for _, name := range f.Ensemble.Features {
				used[name] = true
			}
			mark(f.Ensemble.Times...)
		} else {
			for n := range f.root.All() {
				if !n.Leaf() {
					used[n.Feature] = true
					continue
				}
				for _, c := range n.Ranking() {
					if !slices.Contains(f.Choices, c) {
						f.Choices = append(f.Choices, c)
					}
				}
			}
		}
		for _, c := range f.Choices {
			for _, limit := range rule.Limits(c) {
				mark(limit...)
			}
		}
	}
	p.Features = slices.DeleteFunc(rule.Features(), func(f rule.Feature) bool { return !used[f.Name] })
}

// index is the number of a feature.
func (p *program) index(name string) int {
	return slices.IndexFunc(p.Features, func(f rule.Feature) bool { return f.Name == name })
}

// tables makes the lists of a function.
func (f *function) tables(p *program) {
	f.Limits = []float64{0} // of what has none
	for _, c := range f.Choices {
		limits := rule.Limits(c)
		if len(limits) == 0 {
			f.Start = append(f.Start, 0)
			continue
		}
		f.Start = append(f.Start, len(f.Limits))
		f.Limits = append(f.Limits, float64(len(limits)))
		for _, l := range limits {
			f.Limits = append(append(f.Limits, float64(len(l))), p.flat(l)...)
		}
	}
	if f.Ensemble == nil {
		f.tree(p, f.root)
		return
	}
	f.Ensemble.Time = p.flat(f.Ensemble.Times)
	f.Ensemble.Number = lists.Of(f.Ensemble.Features, p.index)
}

// flat lists sums in the form that the templates take.
func (p *program) flat(sums []kernels.Sum) (list []float64) {
	for _, sum := range sums {
		list = append(list, float64(len(sum)))
		for _, t := range sum {
			list = append(list, t.Factor, float64(len(t.Features)))
			for _, name := range t.Features {
				list = append(list, float64(p.index(name)))
			}
		}
	}
	return list
}

// tree lists a node and those below it.
func (f *function) tree(p *program, n *rule.Node) {
	at := len(f.Nodes)
	if n.Leaf() {
		from := len(f.Ranked)
		for _, c := range n.Ranking() {
			f.Ranked = append(f.Ranked, slices.Index(f.Choices, c))
		}
		f.Nodes = append(f.Nodes, node{Feature: -1, Below: from, Above: len(f.Ranked)})
		return
	}
	f.Nodes = append(f.Nodes, node{})
	f.tree(p, n.Below)
	f.Nodes[at] = node{p.index(n.Feature), n.Threshold, 1, len(f.Nodes) - at}
	f.tree(p, n.Above)
}

// Package is the name of a package of Go.
func (p *program) Package() string {
	name := strings.ReplaceAll(p.name, "_", "")
	if token.IsKeyword(name) || name == "main" {
		return name + "rule"
	}
	return name
}

// figures say what a tree is for and how far it can be trusted. by is what it chooses by, if not by all features.
func figures(s *rule.Model, by string) []string {
	title := map[string]string{rule.BySizes: ": by rows and nonzeros alone", rule.ByEnsemble: ": by the ensemble"}[by]
	doc := []string{s.Key.String() + title + "."}
	way := rule.SelectorBy(by)
	if by == rule.ByEnsemble {
		way = rule.Written
	}
	v := rule.Summarise(s.Validation.Cases, way.Of)
	if v.Matrices < 2 {
		return append(doc, "Nothing shows how it does on other matrices than it was learned from.")
	}
	return append(doc,
		fmt.Sprintf("On matrices left out it reaches %.1f%% of the best of %d configurations on", 100*v.Mean,
			s.Configs),
		fmt.Sprintf("average (%d matrices, geometric mean), and %.1f%% at worst (%s).", v.Matrices, 100*v.Worst,
			v.WorstMatrix))
}

// listed writes a list of numbers that C and Go read, in lines of some length.
func listed(list any) string {
	words := strings.Fields(strings.Trim(fmt.Sprint(list), "[]"))
	return term.Wrap(strings.Join(words, ", "), 100, "        ")
}

// single writes a number of single precision so that reading it gives the same bits.
func single(x float32) string {
	s := strconv.FormatFloat(float64(x), 'g', -1, 32)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s + "f"
}

// Packed is the rule as JSON, without what was measured and where, and its limits; compressed, in base64.
func (p *program) Packed() (string, error) {
	bare := *p.Rule
	bare.Models = nil
	limits := map[string][]kernels.Limit{} // by what _key of the module gives
	for _, s := range p.Models {
		s.Validation, s.Test, s.Sources, s.Warnings, s.Noise = rule.Validation{}, rule.Validation{}, nil, nil, ""
		s.Root, s.Sizes = unnamed(s.Root), unnamed(s.Sizes)
		bare.Models = append(bare.Models, s)
		for _, c := range s.Named() {
			if l := rule.Limits(c); l != nil {
				limits[fmt.Sprintf("%s %s %d %d %s", c.Kernel, c.Precision, c.Block, c.Grid, c.Params)] = l
			}
		}
	}
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	err := json.NewEncoder(z).Encode(map[string]any{"rule": bare, "limits": limits})
	if err = cmp.Or(err, z.Close()); err != nil {
		return "", err
	}
	var b strings.Builder
	for line := range slices.Chunk([]byte(base64.StdEncoding.EncodeToString(packed.Bytes())), 110) {
		fmt.Fprintf(&b, "    \"%s\"\n", line)
	}
	return b.String(), nil
}

// unnamed is a tree without the names of the matrices that it was learned from.
func unnamed(n *rule.Node) *rule.Node {
	if n == nil {
		return nil
	}
	bare := *n
	bare.Matrices, bare.Below, bare.Above = nil, unnamed(n.Below), unnamed(n.Above)
	return &bare
}
