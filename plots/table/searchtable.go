package table

import (
	"math"
	"slices"

	"spmvtune/plots/data"
	"spmvtune/plots/number"
	"spmvtune/tuner/replay"
	"spmvtune/tuner/search"
)

// searchTable says how much of the device time of the whole grid searches took.
func searchTable(s data.Searches) Table {
	t := Table{Title: "Searches replayed on recorded grids: device time, in % of that of the whole grid", Columns: Columns(
		"strategy", ">grids", ">searches", ">to within 5%", ">to within 2%", ">on the worst grid",
		">to within 1%", ">until it ends", ">slower in the end (%)", "on",
	)}
	places, of := s.ByPlace()
	for _, place := range places {
		for _, strategy := range search.Names() {
			list := slices.DeleteFunc(slices.Clone(of[place]), func(o replay.Outcome) bool { return o.Strategy != strategy })
			if len(list) == 0 {
				continue
			}
			over := func(quantile float64, of func(o replay.Outcome) float64) Cell {
				values := make([]float64, len(list))
				for i := range list {
					values[i] = of(list[i])
				}
				v := replay.Quantile(values, quantile)
				if math.IsInf(v, 1) {
					return Words("never")
				}
				return Cell{number.Significant(100*v, 2), 100 * v}
			}
			within := func(i int) func(o replay.Outcome) float64 {
				return func(o replay.Outcome) float64 { return o.Within[i].Share }
			}
			t.Rows = append(t.Rows, []Cell{Words(strategy), count(len(list)), count(len(list) * len(list[0].Paths)),
				over(0.5, within(0)), over(0.5, within(1)), over(1, within(1)), over(0.5, within(2)),
				over(0.5, func(o replay.Outcome) float64 { return o.End.Share }), over(0.5, func(o replay.Outcome) float64 { return o.Loss }),
				Words(place)})
		}
	}
	return t
}
