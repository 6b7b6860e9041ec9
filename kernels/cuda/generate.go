package cuda

//go:generate sh generate.sh
