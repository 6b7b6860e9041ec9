package trial

// An Origin is where trials were measured. What is not known is "".
type Origin struct {
	Node string `json:"node,omitempty"` // host name
	UUID string `json:"uuid,omitempty"` // of the device, as its driver gives it: "GPU-…"
	Job  string `json:"job,omitempty"`  // Slurm's, with the task of an array: "12_3"
}
