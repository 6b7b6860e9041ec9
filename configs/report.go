package configs

import "github.com/BurntSushi/toml"

// ReportOf returns the [report] section of a sweep's text as a database keeps
// it. The text was checked when the sweep ran; what can't be read any more is
// taken as left out.
func ReportOf(text []byte) Report {
	var file struct{ Report Report }
	if err := toml.Unmarshal(text, &file); err != nil {
		return Report{}
	}
	return file.Report
}

// lists are those of a report's section that choose trials, by key.
func (r *Report) lists() map[string]*[]string {
	return map[string]*[]string{"kernels": &r.Kernels, "matrices": &r.Matrices, "devices": &r.Devices,
		"precisions": &r.Precisions, "caches": &r.Caches}
}

// SearchOf returns the strategy of a sweep's text as a database keeps it, its rule and its
// budget of trials. What can't be read any more is taken as left out.
func SearchOf(text []byte) Search {
	var file struct {
		Search struct {
			Strategy string
			Rule     string
			Budget   struct{ Trials int }
		}
	}
	s := Search{Strategy: strategies[0]}
	if err := toml.Unmarshal(text, &file); err != nil {
		return s
	}
	if file.Search.Strategy != "" {
		s.Strategy = file.Search.Strategy
	}
	s.Rule, s.Trials = file.Search.Rule, file.Search.Budget.Trials
	return s
}
