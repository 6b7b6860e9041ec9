// SPDX-License-Identifier: Apache-2.0

package configs

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse/file"
	"example.org/spmvtune/sparse/generate"
)

// A schema is a JSON schema of a value.
type schema map[string]any

// sweepSchema makes the JSON schema of sweep files from the tables that read them. What is legal only beside another key,
// with a file or on a device, only reading a sweep tells.
func sweepSchema() schema {
	sweep := newSweep()
	arrays := slices.DeleteFunc(sweep.Slurm.keys(), func(k key) bool { return !slices.Contains(arrayKeys, k.name) })
	slurm := map[string]schema{
		"time": some(text(&timeForm)), "mem": some(text(&memForm)), "gpus": anyOf(integer(0), text(&gpusForm)),
		"signal": text(&signalForm), "extra": some(text(nil)),
	}
	array := arrays.schema(slurm)
	slurm["finish"], slurm["array"] = anyOf(schema{"const": false}, sweep.Slurm.Finish.keys().schema(nil)), tables(array)
	s := sweep.keys(nil).schema(map[string]schema{
		"name":  {"type": "string", "maxLength": mostName, "pattern": `^[^/\s]+$`},
		"order": {"enum": []string{"file", "shuffled"}}, "index": anyOf(some(integer(0)), schema{"const": "all"}),
		"matrix": tables(matrixSchema()), "kernel": tables(kernelSchema()),
		"slurm": append(sweep.Slurm.keys(), key{name: "finish"}, key{name: "array"}).schema(slurm),
	})
	s["$schema"], s["title"] = "http://json-schema.org/draft-07/schema#", "A sweep of spmvtune"
	s["required"] = []string{"matrix", "kernel"}
	return s
}

// schema is that of a table with these keys, and of those in it. irregular has the values that other code reads.
func (s section) schema(irregular map[string]schema) schema {
	keys := schema{}
	for _, k := range s {
		value := maps.Clone(irregular[k.name])
		if value == nil {
			value = k.schema(irregular)
		}
		if k.doc != "" {
			value["description"] = k.doc
		}
		keys[k.name] = value
	}
	return schema{"type": "object", "properties": keys, "additionalProperties": false}
}

// schema is that of what value reads.
func (k key) schema(irregular map[string]schema) schema {
	line := text(k.form)
	if k.options != nil {
		line["enum"] = k.options
	}
	switch k.into.(type) {
	case *bool:
		return schema{"type": "boolean"}
	case *int, *uint64:
		return integer(k.least)
	case *float64:
		return schema{"type": "number", "minimum": 0}
	case *[2]int:
		return schema{"type": "array", "items": integer(1), "minItems": 2, "maxItems": 2}
	case *time.Duration:
		line["pattern"] = `^\+?([0-9]*\.?[0-9]+(ns|us|µs|ms|s|m|h))+$|^0$`
	case *[]string:
		return some(line)
	}
	if k.sub != nil {
		return k.sub.schema(irregular)
	}
	return line
}

func text(f *form) schema {
	s := schema{"type": "string"}
	if f != nil {
		s["pattern"] = "^$|" + f.pattern.String()
	}
	return s
}

func integer(least int64) schema {
	return schema{"type": "integer", "minimum": least, "maximum": math.MaxInt32}
}

func anyOf(forms ...schema) schema { return schema{"anyOf": forms} }

// some is a value or a list of them.
func some(value schema) schema { return anyOf(value, schema{"type": "array", "items": value}) }

// tables are one or more sections.
func tables(s schema) schema { return schema{"type": "array", "items": s, "minItems": 1} }

// numbers are some values, or positive integers in the other forms of [table.ints].
func numbers(value schema, more ...schema) schema {
	steps := section{{name: "from", into: new(int), least: 1}, {name: "to", into: new(int), least: 1},
		{name: "step", into: new(int), least: 1}}.schema(nil)
	steps["required"] = []string{"from", "to"}
	powers := section{{name: "pow2", into: new([2]int)}}.schema(nil)
	powers["required"] = []string{"pow2"}
	return anyOf(append(more, some(value), steps, powers)...)
}

// when adds to s that more holds where a condition does.
func (s schema) when(condition, more schema) {
	all, _ := s["allOf"].([]schema)
	s["allOf"] = append(all, schema{"if": condition, "then": more})
}

// has says that a table has one of some keys.
func has(keys ...string) schema {
	return anyOf(lists.Of(keys, func(key string) schema { return schema{"required": []string{key}} })...)
}

// matrixSchema is that of [[matrix]]. The arguments of a generator are keys beside its name.
func matrixSchema() schema {
	all := generate.Generators()
	s := matrixKeys.schema(map[string]schema{"expand": {"type": "boolean"}, "complex": {"enum": []string{file.RealPart}},
		"generate": {"enum": lists.Of(all, func(g generate.Generator) string { return g.Name })}})
	keys := s["properties"].(schema)
	for _, g := range all {
		args, required := schema{}, []string{}
		for _, a := range g.Args {
			value := schema{"type": "number", "minimum": a.Min, "maximum": a.Max}
			switch a.Kind {
			case generate.Int:
				value["type"] = "integer"
			case generate.Text:
				value = schema{"enum": a.Choices}
			}
			args[a.Name], keys[a.Name] = some(value), schema{}
			if a.Required {
				required = append(required, a.Name)
			}
		}
		s.when(schema{"properties": schema{"generate": schema{"const": g.Name}}, "required": []string{"generate"}},
			schema{"properties": args, "required": required,
				"propertyNames": schema{"enum": append(matrixKeys.names(), argNames([]generate.Generator{g})...)}})
	}
	s.when(schema{"not": has("generate")}, schema{"propertyNames": schema{"enum": matrixKeys.names()}})
	s["anyOf"] = has("path", "generate", "suitesparse")["anyOf"]
	return s
}

// kernelSchema is that of [[kernel]]. The parameters of kernels are keys of it.
func kernelSchema() schema {
	names := schema{"enum": []string{string(kernels.Float32), string(kernels.Float64)}}
	perSM := section{{name: "per_sm"}}.schema(map[string]schema{"per_sm": numbers(integer(1))})
	s := slices.Concat(kernelKeys, customKeys, programKeys).schema(map[string]schema{
		"name": some(text(nil)), "precision": some(names), "block": numbers(integer(1)),
		"grid": numbers(integer(1), schema{"const": "auto"}, perSM), "format": {"enum": []string{"csr", "coo", "sell"}},
		"shared": anyOf(text(nil)), "zero": {"type": "boolean"}, "backend": {"enum": []string{"cpu", "cuda"}},
		"params": {"type": "object", "additionalProperties": numbers(schema{"type": []string{"integer", "string"}})},
	})
	keys := s["properties"].(schema)
	for _, k := range kernels.Catalogue {
		for _, p := range k.Choices() {
			value := integer(1)
			if p.Values != nil {
				var options []any // a number may be a text, too
				for _, v := range p.Values {
					options = append(options, v)
					if n, err := strconv.Atoi(v); err == nil {
						options = append(options, n)
					}
				}
				value = schema{"enum": options}
			}
			other, _ := keys[p.Name].(schema)
			forms, _ := other["anyOf"].([]schema) // of other kernels, or of a key of one's own kernel
			if form := numbers(value); !slices.ContainsFunc(forms, func(s schema) bool { return reflect.DeepEqual(s, form) }) {
				keys[p.Name] = anyOf(append(forms, form)...)
			}
		}
	}
	s.when(has("source", "command"), schema{"properties": schema{"name": text(nil)}})
	s.when(schema{"not": has("source", "command")}, schema{"properties": schema{"name": some(schema{"enum": kernels.Names()})},
		"propertyNames": schema{"enum": append(kernelKeys.names(), params(kernels.Catalogue)...)}})
	s["required"] = []string{"name"}
	return s
}

// schemaCheck returns what says what is wrong with a sweep by the schema; nothing, if it is no TOML.
func schemaCheck(t *testing.T) func(sweep string) error {
	c := jsonschema.NewCompiler()
	testkit.Succeed(t, c.AddResource("sweep.json", testkit.Must(jsonschema.UnmarshalJSON(strings.NewReader(Schema)))))
	s := testkit.Must(c.Compile("sweep.json"))
	return func(sweep string) error {
		v := map[string]any{}
		if _, err := toml.Decode(sweep, &v); err != nil {
			return err
		}
		text, err := json.Marshal(v)
		if err != nil { // it has no NaN
			return err
		}
		return s.Validate(testkit.Must(jsonschema.UnmarshalJSON(strings.NewReader(string(text)))))
	}
}

// The schema that the program prints is that of the tables, and takes all sweeps that come with it, and the help's.
func TestSchema(t *testing.T) {
	text := testkit.Must(json.Marshal(sweepSchema()))
	if *regen {
		testkit.Succeed(t, os.WriteFile("sweep.schema.json", append(text, '\n'), 0o644))
		return
	}
	testkit.Require(t, Schema == string(text)+"\n", "other tables: go test ./configs -run TestSchema -regen")
	check := schemaCheck(t)
	testkit.Succeed(t, check(example()))
	for _, name := range Shipped() {
		err := check(string(testkit.Must(LoadShipped(name)).Text))
		testkit.Check(t, err == nil, "%s: %v", name, err)
	}
}
