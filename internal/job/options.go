package job

import (
	"gonum.org/v1/plot/vg"

	"spmvtune/store"
)

// Options choose what a report holds. What they leave out is as the [report] section of the
// sweep says, or everything.
type Options struct {
	// Out is the folder that rule and report are written to.
	Out string
	// Version is that of the program.
	Version string
	// KeepRule keeps the rule that all trials teach in the database, and needs one: without a
	// verified trial there is no report.
	KeepRule bool
	// Figures are the ids of the figures to draw. If they are set, nothing else is written; those
	// of the sweep's section are all that its page has.
	Figures []string
	// Choice says which trials the report is about.
	Choice store.Choice
	// Published draws the papers' numbers beside the measured ones.
	Published *bool
	// Against is the database to compare with, Base its name for people.
	Against, Base string
	// Paper is the width of a column of a paper to draw for, 0 for the report itself.
	Paper vg.Length
	// Progress is told what is being done and, of what has parts, how many are done. It may be
	// nil.
	Progress func(what string, done, of int)

	title string
	alone bool // nothing but Figures is written
}

// at tells what is being done.
func (opt *Options) at(what string) {
	if opt.Progress != nil {
		opt.Progress(what, 0, 0)
	}
}

// complete takes what is not set from the [report] section of the sweep that was run last.
func (opt *Options) complete(sweeps []store.Sweep) {
	if len(sweeps) == 0 {
		return
	}

	said := sweeps[len(sweeps)-1].Report
	for _, list := range []struct {
		of   *[]string
		from []string
	}{
		{&opt.Figures, said.Figures},
		{&opt.Choice.Kernels, said.Kernels},
		{&opt.Choice.Matrices, said.Matrices},
		{&opt.Choice.Devices, said.Devices},
		{&opt.Choice.Precisions, said.Precisions},
		{&opt.Choice.Caches, said.Caches},
	} {
		if len(*list.of) == 0 {
			*list.of = list.from
		}
	}

	if opt.Published == nil {
		opt.Published = &said.Published
	}
}
