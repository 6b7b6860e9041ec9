package configs

// Device chooses what to run on.
type Device struct {
	// Backend is auto, cpu or cuda.
	Backend string
	// Index chooses one of several GPUs.
	Index int
}

// keys are those of [device].
func (d *Device) keys() section {
	return section{
		{"backend", `"auto"`, "auto: cuda if a device answers, else cpu; cpu; cuda",
			choice(&d.Backend, "auto", "cpu", "cuda")},
		{"index", "0", "which of several GPUs", count(&d.Index, 0)},
	}
}

// device reads [device].
func (t *table) device() Device {
	d := Device{Backend: "auto"}
	t.read(d.keys())
	return d
}
