package sbatch

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ParseTime reads a time in any of Slurm's forms: minutes, MM:SS, HH:MM:SS, D-HH, D-HH:MM or
// D-HH:MM:SS. UNLIMITED gives 0. ok reports whether text is a time.
func ParseTime(text string) (d time.Duration, ok bool) {
	switch strings.ToUpper(text) {
	case "UNLIMITED", "INFINITE":
		return 0, true
	}

	days, clock, hasDays := strings.Cut(text, "-")
	if !hasDays {
		days, clock = "0", text
	}
	parts := strings.Split(clock, ":")
	units := []time.Duration{time.Minute, time.Second}
	if hasDays || len(parts) == 3 {
		units = []time.Duration{time.Hour, time.Minute, time.Second}
	}

	n, err := strconv.ParseUint(days, 10, 16)
	if err != nil || len(parts) > len(units) {
		return 0, false
	}
	d = time.Duration(n) * 24 * time.Hour

	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil {
			return 0, false
		}
		d += time.Duration(n) * units[i]
	}

	return d, true
}

// FormatTime writes d, rounded up to seconds, in the form of sbatch: "01:00:00" or
// "2-00:00:00".
func FormatTime(d time.Duration) string {
	s := int64((d + time.Second - 1) / time.Second)
	days, s := s/86400, s%86400
	clock := fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
	if days == 0 {
		return clock
	}
	return fmt.Sprintf("%d-%s", days, clock)
}

// Seconds is a time limit in seconds, for comparisons: 0 for none that was said.
func Seconds(limit string) float64 {
	d, _ := ParseTime(limit)
	return d.Seconds()
}

// Megabytes is an amount of memory in the form of sbatch, in MB; 0 for none that was said.
func Megabytes(mem string) float64 {
	units := map[byte]float64{'K': 1. / 1024, 'M': 1, 'G': 1024, 'T': 1024 * 1024}
	if mem == "" {
		return 0
	}
	unit, known := units[strings.ToUpper(mem)[len(mem)-1]]
	if known {
		mem = mem[:len(mem)-1]
	} else {
		unit = 1
	}
	n, _ := strconv.ParseFloat(mem, 64)
	return n * unit
}
