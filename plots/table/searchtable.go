package table

import (
	"math"
	"slices"

	"spmvtune/analysis"
	"spmvtune/internal/base/term"
	"spmvtune/tuner/replay"
	"spmvtune/tuner/search"
)

// searchTable says how much of the device time of the whole grid searches took.
func searchTable(s analysis.Searches) Table {
	t := Table{Title: "Searches replayed on recorded grids: device time, in % of the whole grid's",
		Columns: Columns(
			"strategy", ">grids", ">searches", ">to within 5%", ">to within 2%", ">on the worst grid",
			">to within 1%", ">until it ends", ">slower in the end (%)", ">told from (%)", "on",
		)}

	conditions, of := s.ByCondition()
	for _, c := range conditions {
		for _, strategy := range search.Names() {
			other := func(o replay.Outcome) bool { return o.Strategy != strategy }
			if list := slices.DeleteFunc(slices.Clone(of[c]), other); len(list) > 0 {
				row := append([]Cell{Text(strategy)}, searchCells(list)...)
				t.Rows = append(t.Rows, append(row, Text(string(c.Cache)+" cache, "+analysis.ShortDevice(c.Device))))
			}
		}
	}

	return t
}

// searchCells sum up the searches of one strategy.
func searchCells(list []replay.Outcome) []Cell {
	over := func(quantile float64, of func(o replay.Outcome) float64) Cell {
		values := make([]float64, len(list))
		for i := range list {
			values[i] = of(list[i])
		}
		v := replay.Quantile(values, quantile)
		if math.IsInf(v, 1) {
			return Text("never")
		}
		return Cell{term.Significant(100*v, 2), 100 * v}
	}

	within := func(i int) func(o replay.Outcome) float64 {
		return func(o replay.Outcome) float64 { return o.Within[i].Share }
	}
	end := func(o replay.Outcome) float64 { return o.End.Share }
	loss := func(o replay.Outcome) float64 { return o.Loss }
	told := func(o replay.Outcome) float64 { return o.Grid.Told() }
	return []Cell{
		count(len(list)), count(len(list) * len(list[0].Paths)),
		over(0.5, within(0)), over(0.5, within(1)), over(1, within(1)), over(0.5, within(2)), over(0.5, end),
		over(0.5, loss), over(0.5, told),
	}
}
