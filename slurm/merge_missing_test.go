package slurm

import (
	"strings"
	"testing"

	"spmvtune/tuner"
	"spmvtune/tuner/journal"
)

func TestMissing(t *testing.T) {
	done := func(matrix string, part tuner.Part) journal.Piece {
		return journal.Piece{Matrix: matrix, Part: part, Complete: true}
	}
	p := func(index, of int) tuner.Part { return tuner.Part{Index: index, Of: of} }
	whole := Plan{Chunks: []Chunk{{ID: "0001", Pieces: []Piece{{"a", p(1, 3)}, {"b", tuner.All}}}}}
	split := Plan{Chunks: append(whole.Chunks, Chunk{ID: "0001.1", Pieces: []Piece{{"a", p(1, 3)}}}, Chunk{ID: "0001.2", Pieces: []Piece{{"b", tuner.All}}})}
	for _, tt := range []struct {
		name     string
		plan     Plan
		ended    map[string][]journal.Piece // by chunk
		complete int
		missing  string
	}{
		{"nothing", whole, nil, 0, "0001"},
		{"all", whole, map[string][]journal.Piece{"0001": {done("a", p(1, 3)), done("b", tuner.All)}}, 1, ""},
		{"one piece", whole, map[string][]journal.Piece{"0001": {done("a", p(1, 3)), {Matrix: "b", Part: tuner.All}}}, 0, "0001"},
		{"another's", whole, map[string][]journal.Piece{"0002": {done("a", p(1, 3)), done("b", tuner.All)}}, 0, "0001"},
		{"another part", whole, map[string][]journal.Piece{"0001": {done("a", p(0, 3)), done("b", tuner.All)}}, 0, "0001"},
		{"several workers", whole, map[string][]journal.Piece{"0001": {done("a", p(3, 6)), done("a", p(2, 6)), done("b", p(0, 2)), done("b", p(1, 2))}}, 1, ""},
		{"a worker is missing", whole, map[string][]journal.Piece{"0001": {done("a", p(1, 3)), done("b", p(0, 3)), done("b", p(2, 3))}}, 0, "0001"},
		{"halves", split, map[string][]journal.Piece{"0001.1": {done("a", p(1, 3))}}, 1, "0001.2"},
		{"halves, and a late end of the whole", split, map[string][]journal.Piece{"0001": {done("a", p(0, 1)), done("b", p(0, 0))}}, 1, "0001.2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var files []mergeFile
			for chunk, pieces := range tt.ended {
				files = append(files, mergeFile{name: journal.Name{Chunk: chunk, Job: "1_1"}, ends: []journal.End{{Pieces: pieces}}})
			}
			complete, list := missing(tt.plan, files)
			var ids []string
			for _, m := range list {
				ids = append(ids, m.Chunk)
			}
			if complete != tt.complete || strings.Join(ids, " ") != tt.missing {
				t.Errorf("%d complete, missing %v; want %d, %q", complete, ids, tt.complete, tt.missing)
			}
		})
	}
}
