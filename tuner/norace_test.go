//go:build !race

package tuner

const raceDetector = false
