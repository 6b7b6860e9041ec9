// SPDX-License-Identifier: Apache-2.0

package store

import (
	"fmt"
	"slices"
	"strings"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/tuner/trial"
)

// keyColumns are the columns of the table trial besides trialColumns and the id.
var keyColumns = []string{"sweep", "device", "origin", "version", "matrix", "kernel", "superseded"}

// trialValues are the values of a row of the table trial, without its id. A partial measurement never
// counts. Which of the others count is decided later.
func trialValues(k trialKeys, r *trial.Result) []any {
	values := []any{k.sweep, k.device, nonzero(k.origin), nonzero(k.version), k.matrix, k.kernel, r.Partial()}
	return append(values, lists.Of(trialColumns, func(c column) any { return c.value(r) })...)
}

// decideCase decides which trials of a case count, as trial.Precedence says.
const decideCase = `UPDATE trial SET superseded = d.superseded FROM (
	WITH ranked AS (
		SELECT t.id, t.status, t.measurement, t.stop IS NOT 'search' AND row_number() OVER (
			PARTITION BY k.name, t.params, t.grid, t.block
			ORDER BY t.stop IS 'search', max(t.measured_at, ifnull(t.asked, 0)) DESC, t.identity DESC) = 1 AS current
		FROM trial t JOIN kernel k ON k.id = t.kernel
		WHERE t.matrix = ? AND t.device = ? AND t.precision = ? AND t.cache = ?)
	SELECT id, NOT (current AND (status <> 'ok' OR measurement IS NULL OR
		measurement = (SELECT max(measurement) FROM ranked WHERE current AND status = 'ok'))) AS superseded
	FROM ranked) d
	WHERE d.id = trial.id AND d.superseded <> trial.superseded`

// rivals are new trials n, with the ids between two, and other trials t that have their configuration.
const rivals = `FROM trial n CROSS JOIN kernel k ON k.id = n.kernel CROSS JOIN kernel o ON o.name = k.name CROSS JOIN trial t
		ON t.matrix = n.matrix AND t.device = n.device AND t.precision = n.precision AND t.cache = n.cache
			AND t.kernel = o.id AND t.params = n.params AND t.grid = n.grid AND t.block = n.block
	WHERE n.id BETWEEN ? AND ? AND t.id <> n.id`

// order is what decides which trial of a configuration is current: that with the greatest.
func order(table string) string {
	return strings.ReplaceAll("(@.stop IS NOT 'search', max(@.measured_at, ifnull(@.asked, 0)), @.identity)", "@", table)
}

// allTrialColumns are the columns of the table trial.
var allTrialColumns = slices.Concat([]string{"id"}, keyColumns,
	lists.Of(trialColumns, func(c column) string { return c.name }))

// inserting is the text that inserts a row.
func inserting(into string, columns ...string) string {
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES (?%s)", into, strings.Join(columns, ", "),
		strings.Repeat(", ?", len(columns)-1))
}

// The texts of the statements that write results, beside decideCase. Each connection keeps them prepared.
//
// Anything that SQLite would keep in a temporary table here, the list of an IN or
// the rows of a DISTINCT, would take longer than the rest of Record.
var (
	// findTrials finds what decides which trials count, of identities.
	findTrials = `SELECT t.identity, t.status, t.stop IS 'search', t.measured_at, ifnull(t.measurement, 0), ifnull(t.asked, 0)
		FROM json_each(?) ids CROSS JOIN trial t ON t.identity = ids.value`
	nextTrial     = "SELECT ifnull(max(id), 0) + 1 FROM trial"
	insertTrial   = inserting("trial", allTrialColumns...)
	insertSamples = inserting("sample", "trial", "data")
	// replaceTrial replaces a trial, by identity.
	replaceTrial  = "UPDATE trial SET " + strings.Join(allTrialColumns[1:], " = ?, ") + " = ? WHERE identity = ? RETURNING id"
	insertReading = inserting("reading", "trial", "sm_clock", "memory_clock", "temperature", "power", "energy",
		"clock_reasons", "repeated", "throttled")
	insertRerun = inserting("rerun", "identity", "at", "kind", "origin", "median", "low", "high", "throttled", "data") +
		" ON CONFLICT DO NOTHING"
	// countingVersion finds the version of the measurement that counts in a case.
	countingVersion = `SELECT measurement FROM trial WHERE matrix = ? AND device = ? AND precision = ? AND cache = ?
		AND superseded = 0 AND median IS NOT NULL AND measurement IS NOT NULL LIMIT 1`
	// sharedCases finds the cases of some trials, by their ids, whose configuration others have, too. supersede lets
	// trials count no longer if one of these, or one that has its configuration, came later.
	sharedCases = "SELECT n.matrix, n.device, n.precision, n.cache " + rivals
	supersede   = `UPDATE trial SET superseded = 1 WHERE superseded = 0 AND id IN (
		SELECT iif(` + order("n") + " > " + order("t") + ", t.id, n.id) " + rivals + ")"
	// repeatedCases finds the cases of some trials, by their ids, that have reruns.
	repeatedCases = `SELECT n.matrix, n.device, n.precision, n.cache FROM trial n WHERE n.id BETWEEN ? AND ?
		AND EXISTS (SELECT 1 FROM rerun WHERE identity = n.identity)`
	forgetMatrix = "DELETE FROM tie_set WHERE matrix = ? AND device = ? AND cache = ?"
	// askTrial notes when a run last wanted a trial, by identity.
	askTrial = "UPDATE trial SET asked = ? WHERE identity = ?"
)
