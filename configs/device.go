package configs

import "slices"

// Device chooses what to run on.
type Device struct {
	// Backend is auto, cpu or cuda.
	Backend string
	// Index chooses one of several GPUs.
	Index int
	// Indices are GPUs that share the matrices out among them; none: Index alone.
	Indices []int
	// All says that these are all GPUs of the machine, whose Indices are not known yet.
	All bool
}

// Each returns the indices of all devices that are chosen.
func (d Device) Each() []int {
	if len(d.Indices) > 0 {
		return d.Indices
	}
	return []int{d.Index}
}

// several reports whether more than one GPU may be chosen.
func (d Device) several() bool { return d.All || len(d.Indices) > 0 }

// keys are those of [device].
func (d *Device) keys() section {
	return section{
		{"backend", `"auto"`, "auto: cuda if a device answers, else cpu; cpu; cuda",
			choice(&d.Backend, "auto", "cpu", "cuda")},
		{"index", "0", "which of several GPUs; [0, 1]: these, each with some of the matrices; \"all\": all of one model",
			d.readIndex},
	}
}

// readIndex reads an index, a list of them, or "all".
func (d *Device) readIndex(t *table, key string) {
	const hint = `write 0, [0, 1] or "all"`
	switch v := t.vals[key].(type) {
	case string:
		if d.All = v == "all"; !d.All {
			t.fail(key, hint, "is %q", v)
		}
	case []any:
		for _, e := range v {
			i, is := e.(int64)
			if !is || i < 0 || slices.Contains(d.Indices, int(i)) {
				t.fail(key, hint, "is not a list of different GPUs")
				d.Indices = nil
				return
			}
			d.Indices = append(d.Indices, int(i))
		}
		if len(d.Indices) == 0 {
			t.fail(key, hint, "is an empty list")
		} else {
			d.Index = d.Indices[0]
		}
	default:
		t.count(key, &d.Index, 0)
	}
}

// device reads [device].
func (t *table) device() Device {
	d := Device{Backend: "auto"}
	t.read(d.keys())
	if d.Backend == "cpu" && d.several() {
		t.fail("index", "leave it out", "chooses GPUs, and backend is cpu")
	}
	return d
}
