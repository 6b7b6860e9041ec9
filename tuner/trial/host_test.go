package trial

import "testing"

// A processor is crowded where others or the hypervisor take much of it, over two seconds of its cores.
func TestCrowded(t *testing.T) {
	for name, c := range map[string]struct {
		use  HostUse
		want bool
	}{
		"alone":                {HostUse{Cores: 20, Others: 0.5, Stolen: 0.1, Switches: 200, Own: 10}, false},
		"others work":          {HostUse{Cores: 20, Others: 2.2, Own: 10}, true},
		"others work a little": {HostUse{Cores: 20, Others: 1.6, Own: 10}, false},
		"the hypervisor takes": {HostUse{Cores: 20, Stolen: 0.5, Own: 10}, true},
		"by its own threads":   {HostUse{Cores: 20, Switches: 6000, Own: 10}, false},
		"too short to tell":    {HostUse{Cores: 1, Others: 1, Own: 1}, false},
		"nothing can be read":  {HostUse{Switches: 5000, Own: 1}, false},
	} {
		if got := c.use.Crowded(); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}
