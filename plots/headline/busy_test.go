package headline

import (
	"testing"

	"spmvtune/tuner/trial"
)

// The headline says where the processor was busy, and nothing of a quiet one.
func TestBusy(t *testing.T) {
	d := reportOf(shot{"m1", "cpu_csr", 1}, shot{"m1", "cpu_sell", 2}, shot{"m2", "cpu_csr", 1}, shot{"m2", "cpu_sell", 2})
	check(t, said(t, d, Busy), "")
	for i := range d.Rows {
		others := map[string]float64{"m1": 0.1, "m2": 1.5}[d.Rows[i].Matrix]
		d.Rows[i].Sweep = d.Rows[i].Kernel // a matrix of two sweeps is one matrix
		d.Rows[i].Host = trial.HostUse{Cores: 4, Others: others, Own: 2, Load: 3}
	}
	check(t, said(t, d, Busy), "The processor was busy on 1 of 2 matrices, at worst on m2: other processes took 38% of "+
		"its cores (load 3.0). "+trial.HostRemedy(false)+".")
}
