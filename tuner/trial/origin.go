package trial

// An Origin is where trials were measured. A field that is not known is "".
type Origin struct {
	Node string `json:"node,omitempty"` // host name
	UUID string `json:"uuid,omitempty"` // of the device, as its driver says: "GPU-…"
	Job  string `json:"job,omitempty"`  // of Slurm, with the task of an array: "12_3"
}
