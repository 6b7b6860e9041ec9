package cpu

import (
	"os"
	"path/filepath"
	"testing"
)

// A job's limit is that of its control group or of one above, in both versions of them.
func TestMemoryLimit(t *testing.T) {
	root := t.TempDir()
	for file, text := range map[string]string{
		"job/memory.max": "3000\n", "job/step/memory.max": "max\n", "memory.max": "max\n",
		"memory/old/memory.limit_in_bytes":      "9223372036854771712\n",
		"memory/old/step/memory.limit_in_bytes": "2000\n",
	} {
		path := filepath.Join(root, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}

	for _, tt := range []struct {
		memory int64
		groups string
		want   int64
	}{
		{5000, "", 5000},
		{5000, "0::/", 5000},
		{5000, "0::/job/step", 3000},
		{1000, "0::/job/step", 1000},
		{0, "0::/job/step", 3000},
		{5000, "0::/not/there", 5000},
		{5000, "0::/../../job", 3000},
		{5000, "9:cpu:/job\n4:hugetlb,memory:/old/step\n0::/\n", 2000},
		{5000, "4:memory:/old\n", 5000},
		{5000, "4:memory\n", 5000},
	} {
		if got := limitOf(tt.memory, tt.groups, root); got != tt.want {
			t.Errorf("%q in %d bytes: %d, want %d", tt.groups, tt.memory, got, tt.want)
		}
	}
}

// What a scheduler gives a process holds also where nothing confines it to that.
func TestMemoryOfShare(t *testing.T) {
	all := (&Backend{}).memoryLimit()
	if all < 200<<20 {
		t.Skip("the system does not report the memory")
	}
	for given, want := range map[int64]int64{0: all, 100 << 20: 100 << 20, 2 * all: all} {
		if got := (&Backend{given: given}).memoryLimit(); got != want {
			t.Errorf("given %d: %d, want %d", given, got, want)
		}
	}
}
