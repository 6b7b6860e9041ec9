package tuner_test

import (
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"spmvtune/store"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// runsEnv names databases of one sweep, with commas between them.
const runsEnv = "SPMVTUNE_RUNS"

// A runPlace is what runs measured in one case.
type runPlace struct {
	trials   []trial.Trial
	runs     [][][]float64 // medians of each trial in each run: of its leader reruns, or its own
	deviates float64       // standard deviation of the logarithms of leader reruns of one trial in one run
}

// TestFinalsOfRuns shows how many leader reruns it takes until sessions name the same kernel. A session
// measures as one of the runs did, chosen at random: a leader's measurements are drawn from its
// leader reruns there, those of another trial are its median and scatter as the leader reruns of the case do.
func TestFinalsOfRuns(t *testing.T) {
	paths := strings.Split(os.Getenv(runsEnv), ",")
	if len(paths) < 3 {
		t.Skip(runsEnv + " does not name three databases")
	}
	places := placesOfRuns(t, paths)
	const repeats, sessions = 100, 5
	for _, most := range []int{0, 4, 8, 16, 32, 48} {
		finals, kernels, configs, all, slowest := 0, 0, 0, 0, 0.0
		rng := rand.New(rand.NewPCG(1, uint64(most)))
		for range repeats {
			same := 0
			for _, p := range places {
				named := make([]int, sessions)
				for s := range named {
					var n int
					named[s], n = p.session(most, rng)
					finals += n
					slowest = max(slowest, p.loss(named[s]))
				}
				if p.mostNamed(named, func(i int) string { return p.trials[i].Kernel }) == sessions {
					kernels++
					same++
				}
				if p.mostNamed(named, func(i int) string { return p.trials[i].ID }) >= sessions-1 {
					configs++
				}
			}
			if same == len(places) {
				all++
			}
		}
		n := float64(repeats * len(places))
		t.Logf("at most %2d finals: %4.1f a place; of %d places the kernel is the same at %4.1f, the configuration "+
			"at %4.1f; all kernels %2d%%; slowest named %.1f%%", most, float64(finals)/n/sessions, len(places),
			float64(kernels)/repeats, float64(configs)/repeats, all*100/repeats, 100*slowest)
	}
}

// placesOfRuns reads what the databases have in common.
func placesOfRuns(t *testing.T, paths []string) []*runPlace {
	medians := map[trial.Case]map[string][][]float64{}
	known := map[string]trial.Trial{}
	for run, path := range paths {
		db, err := store.OpenReadOnly(path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		rows, err := db.Results(t.Context(), store.Filter{Status: trial.OK})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			if r.Stop == trial.StopSlow {
				continue
			}
			records, err := db.Recorded(t.Context(), []string{r.ID}, trial.Full)
			if err != nil {
				t.Fatal(err)
			}
			p := r.Place()
			if medians[p] == nil {
				medians[p] = map[string][][]float64{}
			}
			if len(medians[p][r.ID]) == run {
				record := records[r.ID]
				again := record.LeaderMedians()
				if len(again) == 0 {
					again = []float64{r.Median}
				}
				medians[p][r.ID] = append(medians[p][r.ID], again)
				known[r.ID] = r.Trial
			}
		}
	}

	var places []*runPlace
	for _, trials := range medians {
		p := &runPlace{}
		var logs []float64
		for id, runs := range trials {
			if len(runs) < len(paths) {
				continue
			}
			p.trials, p.runs = append(p.trials, known[id]), append(p.runs, runs)
			for _, finals := range runs {
				logs = append(logs, deviations(finals)...)
			}
		}
		p.deviates = deviation(logs)
		places = append(places, p)
	}
	return places
}

// deviations returns how far the logarithms are from their mean, corrected for that being theirs.
func deviations(values []float64) (list []float64) {
	mean := 0.0
	for _, v := range values {
		mean += math.Log(v) / float64(len(values))
	}
	for _, v := range values {
		if n := float64(len(values)); n > 1 {
			list = append(list, (math.Log(v)-mean)*math.Sqrt(n/(n-1)))
		}
	}
	return list
}

func deviation(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v * v / float64(len(list))
	}
	return math.Sqrt(sum)
}

// session plays the leader reruns of a session.
func (p *runPlace) session(most int, rng *rand.Rand) (named, finals int) {
	run := rng.IntN(len(p.runs[0]))
	return tuner.PlayFinals(most, rng.Uint64(), p.trials, func(i int) float64 {
		finals := p.runs[i][run]
		if len(finals) > 1 {
			return finals[rng.IntN(len(finals))]
		}
		return finals[0] * math.Exp(p.deviates*rng.NormFloat64())
	})
}

// loss is how much slower a trial is than the best, by the means of all runs, as a fraction.
func (p *runPlace) loss(i int) float64 {
	best := math.Inf(1)
	for k := range p.trials {
		best = min(best, p.mean(k))
	}
	return p.mean(i)/best - 1
}

// mean is the geometric mean over the runs of a trial.
func (p *runPlace) mean(i int) float64 {
	sum := 0.0
	for _, run := range p.runs[i] {
		for _, v := range run {
			sum += math.Log(v) / float64(len(run)*len(p.runs[i]))
		}
	}
	return math.Exp(sum)
}

// mostNamed is how often the name is given that is given most often.
func (p *runPlace) mostNamed(named []int, name func(int) string) int {
	count := map[string]int{}
	for _, i := range named {
		count[name(i)]++
	}
	most := 0
	for _, n := range count {
		most = max(most, n)
	}
	return most
}
