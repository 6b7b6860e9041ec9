package cuda

import "maps"

// A family is kernels that share recipes and PTX. A change of either makes their
// earlier trials other experiments.
type family struct {
	cooks   map[string]cook // by kernel
	recipes []string        // Go files, without ending
	modules []string        // files of ptx/, without ending
}

var kernelFamilies = []family{
	{cooCooks, []string{"recipes_coo"}, []string{"coo_simple"}},
	{scanCooks, []string{"recipes_coo", "recipes_scan"},
		[]string{"coo_scan_shared", "coo_blelloch", "coo_scan_warp", "coo_scan_block"}},
	{csrRowCooks, []string{"recipes_csr"}, []string{"csr_rows"}},
	{tileCooks, []string{"recipes_csr", "recipes_tile"}, []string{"csr_tile"}},
	{lightCooks, []string{"recipes_csr", "recipes_light"}, []string{"csr_light"}},
	{adaptiveCooks, []string{"recipes_csr", "recipes_adaptive"}, []string{"csr_adaptive"}},
	{pcsrCooks, []string{"recipes_csr", "recipes_pcsr"}, []string{"csr_pcsr"}},
	{binsCooks, []string{"recipes_csr", "recipes_adaptive", "recipes_bins"}, []string{"csr_bins"}},
	{mergeCooks, []string{"recipes_csr", "recipes_merge"}, []string{"csr_merge"}},
	{sellCooks, []string{"recipes_csr", "recipes_sell"}, []string{"sell"}},
}

// cooks has the recipe of every kernel.
var cooks = func() map[string]cook {
	all := map[string]cook{}
	for _, f := range kernelFamilies {
		maps.Copy(all, f.cooks)
	}
	return all
}()

func familyOf(kernel string) (family, bool) {
	for _, f := range kernelFamilies {
		if _, ok := f.cooks[kernel]; ok {
			return f, true
		}
	}
	return family{}, false
}

// files are the embedded files of f.
func (f family) files() []string {
	var names []string
	for _, name := range f.recipes {
		names = append(names, name+".go")
	}
	for _, name := range f.modules {
		names = append(names, "ptx/"+name+".ptx")
	}
	return names
}
