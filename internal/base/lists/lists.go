// SPDX-License-Identifier: Apache-2.0

// Package lists makes lists of lists: what the standard library's slices can't say in one call. All keep the order, and
// none changes the list that it is given.
package lists

import "slices"

// Of gives what f makes of each element.
func Of[T, U any](list []T, f func(T) U) []U {
	made := make([]U, len(list))
	for i, v := range list {
		made[i] = f(v)
	}
	return made
}

// Where gives the elements that are kept.
func Where[T any](list []T, keep func(T) bool) []T {
	var kept []T
	for _, v := range list {
		if keep(v) {
			kept = append(kept, v)
		}
	}
	return kept
}

// First gives the first element that is meant, if there is one.
func First[T any](list []T, meant func(T) bool) (first T, found bool) {
	if i := slices.IndexFunc(list, meant); i >= 0 {
		return list[i], true
	}
	return first, false
}

// Distinct gives what f makes of the elements, each once, where it comes first.
func Distinct[T any, K comparable](list []T, f func(T) K) []K {
	var keys []K
	seen := map[K]bool{}
	for _, v := range list {
		if k := f(v); !seen[k] {
			seen[k] = true
			keys = append(keys, k)
		}
	}
	return keys
}

// Groups puts elements with one key together, in the order in which the keys come first.
func Groups[T any, K comparable](list []T, key func(T) K) [][]T {
	var groups [][]T
	index := map[K]int{}
	for _, v := range list {
		at, seen := index[key(v)]
		if !seen {
			at, index[key(v)] = len(groups), len(groups)
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], v)
	}
	return groups
}

// Sum adds up what f says of the elements of list.
func Sum[T any, N ~int | ~int64 | ~float64](list []T, f func(T) N) (sum N) {
	for _, v := range list {
		sum += f(v)
	}
	return sum
}

// Most gives the largest that f says of the elements of list, and nothing less than zero.
func Most[T any, N ~int | ~int64 | ~float64](list []T, f func(T) N) (most N) {
	for _, v := range list {
		most = max(most, f(v))
	}
	return most
}

// Indices gives the numbers from 0 to n-1.
func Indices(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// Keyed gives what f makes of each element: a key and a value. Of several with one key the last one stays.
func Keyed[T, V any, K comparable](list []T, f func(T) (K, V)) map[K]V {
	made := make(map[K]V, len(list))
	for _, v := range list {
		key, value := f(v)
		made[key] = value
	}
	return made
}

// Records gives each row of a table as its values by the names of their columns.
func Records(columns []string, rows [][]any) []map[string]any {
	return Of(rows, func(row []any) map[string]any {
		values := map[string]any{}
		for i, name := range columns {
			values[name] = row[i]
		}
		return values
	})
}
