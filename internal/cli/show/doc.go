// Package show prints how a sweep goes: its title, a progress line, downloads, a summary and
// the winners.
package show
