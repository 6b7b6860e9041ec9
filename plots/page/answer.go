package page

import (
	"slices"
	"strings"
	"time"

	"spmvtune/analysis"
	"spmvtune/internal/base/term"

	"spmvtune/tuner/trial"
)

// An htmlPart is a part of the headline.
type htmlPart struct {
	tagged
	Title     string
	Sentences []analysis.Sentence
}

func headlineOf(d *analysis.Data) []htmlPart {
	var list []htmlPart
	for _, p := range analysis.Headline(d) {
		list = append(list, htmlPart{tagged{Device: p.Device, Cache: string(p.Cache)}, p.On, p.Sentences})
	}
	var group []*tagged
	for i := range list {
		group = append(group, &list[i].tagged)
	}
	turnOn(d, group)
	return list
}

// byLine says what was measured where and when, and by which program.
func byLine(c *Content) string {
	d := c.Report
	var devices, caches, parts []string
	matrices, kernels := map[string]bool{}, map[string]bool{}
	good, unseen := 0, 0
	var last time.Time
	for i := range d.Rows {
		r := &d.Rows[i]
		if name := d.DeviceWords(r.Device); !slices.Contains(devices, name) {
			devices = append(devices, name)
		}
		if !slices.Contains(caches, string(r.Cache)) {
			caches = append(caches, string(r.Cache))
		}
		matrices[r.Matrix], kernels[r.Kernel] = true, true
		switch {
		case r.Status == trial.OK && r.Verified():
			good++
		case r.Status == trial.OK:
			unseen++
		}
		if r.At.After(last) {
			last = r.At
		}
	}
	if len(d.Rows) > 0 {
		slices.Sort(caches)
		parts = append(devices, strings.Join(caches, " and ")+" cache", term.Matrices(len(matrices)),
			term.Count(len(kernels), "kernel", "kernels"), term.GroupedCount(good, "verified trial", "verified trials"))
		if unseen > 0 {
			parts = append(parts, term.GroupedCount(unseen, "trial that is not", "trials that are not"))
		}
		parts = append(parts, last.UTC().Format(time.DateOnly))
	}
	return strings.Join(append(parts, strings.TrimSpace("spmvtune "+c.Version)), " · ")
}
