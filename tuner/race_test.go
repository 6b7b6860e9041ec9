//go:build race

package tuner

const raceDetector = true
