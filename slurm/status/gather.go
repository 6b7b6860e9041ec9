package status

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"spmvtune/slurm/sbatch"
)

// A Gathering says that tasks failed alike on a node, and that the node is to blame.
type Gathering struct {
	Node string `json:"node"`
	// Why is what became of each task, as in Chunk.
	Why    string   `json:"why"`
	Chunks []string `json:"chunks"`
}

// gather finds nodes on which two tasks or more failed alike, if tasks did not fail so on others, or
// others have measured something and these have not.
func (t *Tracker) gather(chunks []Chunk) []Gathering {
	type kind struct{ node, why string }
	found := map[kind]*Gathering{}
	nodes := map[string]int{} // nodes are the numbers of nodes by why.
	for _, c := range chunks {
		if c.State != Ended && c.State != Never || c.Node == "" || c.OutOfMemory || !nodesFault(c.Slurm) {
			continue
		}
		at := kind{c.Node, strings.ReplaceAll(strings.ReplaceAll(c.Why, t.Run.Dir, "RUN"), c.Node, "its node")}
		if found[at] == nil {
			found[at] = &Gathering{Node: c.Node, Why: c.Why}
			nodes[at.why]++
		}
		found[at].Chunks = append(found[at].Chunks, c.Chunk)
	}

	var all []Gathering
	for at, g := range found {
		others := len(t.measured) > 0 && !t.measured[at.node]
		if len(g.Chunks) > 1 && (nodes[at.why] == 1 || others) {
			all = append(all, *g)
		}
	}
	slices.SortFunc(all, func(a, b Gathering) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Why, b.Why))
	})
	return slices.CompactFunc(all, func(a, b Gathering) bool { return a.Node == b.Node })
}

// nodesFault reports whether a job may have ended in a state because of its node.
func nodesFault(s sbatch.State) bool {
	return slices.Contains([]sbatch.State{sbatch.Failed, sbatch.NodeFail, sbatch.BootFail, sbatch.LaunchFailed}, s)
}

// Nodes returns the names of the nodes of chunks, sorted.
func Nodes(chunks []Chunk) []string {
	nodes := map[string]bool{}
	for _, c := range chunks {
		if c.Node != "" {
			nodes[c.Node] = true
		}
	}
	return slices.Sorted(maps.Keys(nodes))
}
