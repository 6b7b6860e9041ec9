package cuda

// What an error of Open says where no GPU can be used, each followed by more or nothing.
const (
	NoDriver = "there is no NVIDIA driver (libcuda.so.1 is missing)"
	NoDevice = "the NVIDIA driver finds no GPU"
	NoStart  = "the NVIDIA driver can't be initialised: "
)
