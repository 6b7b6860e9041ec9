// Package hardware finds the devices that this program can measure on, itself or through the
// binary built with CUDA beside it, and launches the workers that measure.
package hardware
