package kernels

// Scatter returns element i of a permutation of the 2^bits elements of an array. Neighbours in
// the permutation lie far apart, as if drawn at random. It uses multiplications by odd numbers
// modulo 2^bits and shifted exclusive ors, both of which are invertible (MurmurHash3's
// finalizer uses the same). bits is 1 to 31, i below 2^bits.
func Scatter(i uint32, bits int) uint32 {
	mask, shift := uint32(1)<<bits-1, (bits+1)/2
	i ^= i >> shift
	i = i * 0x9e3779b1 & mask
	i ^= i >> shift
	i = i * 0x85ebca77 & mask
	return i ^ i>>shift
}
