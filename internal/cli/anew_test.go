package cli

import "testing"

// A changed protocol is said in the words of the sweep file.
func TestProtocolChange(t *testing.T) {
	const old = "warmup=3 samples=6..8 target=0.01 budget=5ms seed=1 launch=graph slow=3"
	for _, tt := range []struct{ now, want string }{
		{old, ""},
		{"warmup=3 samples=6..8 target=0.01 budget=9ms seed=1 launch=graph slow=3", "trial_budget changed from 5ms to 9ms"},
		{"warmup=4 samples=6..9 target=0.01 budget=5ms seed=1 launch=graph",
			"warmup changed from 3 to 4, samples changed from 6..8 to 6..9, slow = 3 was removed"},
		{old + " other=1", "other = 1 was added"},
	} {
		if got := protocolChange(old, tt.now); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.now, got, tt.want)
		}
	}
}
