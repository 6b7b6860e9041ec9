package kernels

// Scatter gives place i of an order of the 2^bits elements of an array in which
// neighbours lie far apart, as if drawn at random, and each occurs once: multiplications
// by odd numbers modulo 2^bits and shifted exclusive ors, both of which can be undone
// (the finalizer of MurmurHash3 is made of them). bits is 1 to 31, i below 2^bits.
func Scatter(i uint32, bits int) uint32 {
	mask, shift := uint32(1)<<bits-1, (bits+1)/2
	i ^= i >> shift
	i = i * 0x9e3779b1 & mask
	i ^= i >> shift
	i = i * 0x85ebca77 & mask
	return i ^ i>>shift
}
