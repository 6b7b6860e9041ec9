package slurm

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spmvtune/configs"
)

// AskedGPUs reports whether [slurm] asks for a GPU, and which types it names.
func AskedGPUs(s configs.Slurm) (asked bool, types []string) {
	gres := strings.Split(s.Gres, ",")
	counts := []string{s.GPUs} // [TYPE:]NUMBER
	for _, option := range s.Extra {
		name, value, _ := strings.Cut(option, "=")
		switch items := strings.Split(value, ","); {
		case strings.HasPrefix(name, "--gpus-per"):
			counts = append(counts, items...)
		case strings.HasPrefix(name, "--tres-per"):
			gres = append(gres, items...)
		}
	}

	for _, count := range counts {
		if count != "" {
			gres = append(gres, "gpu:"+count)
		}
	}

	for _, item := range gres { // gpu[:TYPE][:NUMBER], perhaps after gres: or gres/
		fields := strings.Split(strings.TrimPrefix(strings.TrimPrefix(item, "gres:"), "gres/"), ":")
		if fields[0] != "gpu" {
			continue
		}
		asked = true
		if len(fields) > 1 {
			if _, err := strconv.Atoi(fields[1]); err != nil {
				types = append(types, fields[1])
			}
		}
	}

	slices.Sort(types)
	return asked, slices.Compact(types)
}

// modelForm matches types that are models: a30, v100s, rtx3090, gtx1080ti. Other types, such
// as a site's own or the MIG profile 1g.10gb, say nothing about the name of the device.
var modelForm = regexp.MustCompile(`^[a-z]+[0-9]+[a-z]*$`)

// hasType reports whether a GPU with this name can be of one of Slurm's types. The name may
// have blanks or dashes inside the type: "NVIDIA GeForce RTX 3090" is an rtx3090, but "NVIDIA
// A100" is not an a10.
func hasType(name, kind string) bool {
	kind = strings.ToLower(kind)
	if !modelForm.MatchString(kind) {
		return true
	}
	pattern := strings.Join(strings.Split(kind, ""), "[^a-z0-9]*")
	return regexp.MustCompile(pattern + "([^0-9]|$)").MatchString(strings.ToLower(name))
}
