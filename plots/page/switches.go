package page

import (
	"slices"
	"strings"

	"spmvtune/analysis"
	"spmvtune/plots/canvas"
)

// A tagged part of the page is shown for one device, precision or state of the caches; "" stands
// for all of them.
type tagged struct {
	Device, Precision, Cache string
	On                       bool // It is shown at first.
}

func tagsOf(s analysis.Setup) tagged {
	return tagged{Device: s.Device, Precision: string(s.Precision), Cache: string(s.Cache)}
}

// A choice is a switch of the page: what it chooses, and its values, the first of which is chosen.
type choice struct {
	Name   string
	Values []string
}

// switches returns a switch for the precision and one for the caches, where there are several.
func switches(d *analysis.Data) []choice {
	precision, cache := choice{Name: "precision"}, choice{Name: "cache"}
	for _, s := range d.Setups() {
		if p := string(s.Precision); !slices.Contains(precision.Values, p) {
			precision.Values = append(precision.Values, p)
		}
		if c := string(s.Cache); !slices.Contains(cache.Values, c) {
			cache.Values = append(cache.Values, c)
		}
	}
	slices.Sort(precision.Values)
	return slices.DeleteFunc([]choice{precision, cache}, func(c choice) bool { return len(c.Values) < 2 })
}

// turnOn shows the parts of a group that match what is chosen at first. Where none matches, one of
// the switches does not apply to the group, as report.js has it.
func turnOn(d *analysis.Data, group []*tagged) {
	var precision, cache string
	for _, s := range switches(d) {
		if s.Name == "precision" {
			precision = s.Values[0]
		} else {
			cache = s.Values[0]
		}
	}
	fits := func(have, want string) bool { return have == "" || want == "" || have == want }
	for _, match := range []func(t *tagged) bool{
		func(t *tagged) bool { return fits(t.Precision, precision) && fits(t.Cache, cache) },
		func(t *tagged) bool { return fits(t.Cache, cache) },
		func(t *tagged) bool { return fits(t.Precision, precision) },
		func(*tagged) bool { return true },
	} {
		for _, t := range group {
			t.On = match(t)
		}
		if slices.ContainsFunc(group, func(t *tagged) bool { return t.On }) {
			return
		}
	}
}

// pictureTags reads what a picture is about from its name, which begins with the figure, the device
// where there are several, the precision and the state of the caches.
func pictureTags(d *analysis.Data, figure string, p *canvas.Picture) tagged {
	var t tagged
	rest := strings.TrimPrefix(p.Name, figure)
	cut := func(word string) bool {
		after, found := strings.CutPrefix(rest, "-"+canvas.Slug(word))
		if found = found && (after == "" || after[0] == '-'); found {
			rest = after
		}
		return found
	}
	for _, s := range d.Setups() {
		if d.SeveralDevices() && t.Device == "" && cut(analysis.ShortDevice(s.Device)) {
			t.Device = s.Device
		}
	}
	for _, s := range d.Setups() {
		if t.Precision == "" && cut(string(s.Precision)) {
			t.Precision = string(s.Precision)
		}
	}
	for _, s := range d.Setups() {
		if t.Cache == "" && cut(string(s.Cache)) {
			t.Cache = string(s.Cache)
		}
	}
	return t
}
