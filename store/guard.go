package store

import (
	"strings"

	"github.com/mattn/go-sqlite3"
)

// authorize is asked by SQLite, while it compiles a statement, for everything
// that the statement is going to do. It allows reading.
// See https://www.sqlite.org/c3ref/c_alter_table.html for the actions.
func authorize(action int, arg1, arg2, _ string) int {
	const recursive = 33 // SQLITE_RECURSIVE, a WITH RECURSIVE; the driver does not name it
	switch action {
	case sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, recursive:
		return sqlite3.SQLITE_OK
	case sqlite3.SQLITE_FUNCTION:
		if !strings.EqualFold(arg2, "load_extension") {
			return sqlite3.SQLITE_OK
		}
	case sqlite3.SQLITE_PRAGMA:
		// arg1 is the pragma, arg2 its argument.
		if argument, ok := harmless[strings.ToLower(arg1)]; ok && (argument || arg2 == "") {
			return sqlite3.SQLITE_OK
		}
	}

	return sqlite3.SQLITE_DENY
}

// harmless are the pragmas that only read. The value says whether an argument is allowed, which
// names what the pragma tells about.
var harmless = map[string]bool{
	"table_info":       true,
	"table_xinfo":      true,
	"table_list":       true,
	"index_list":       true,
	"index_info":       true,
	"index_xinfo":      true,
	"foreign_key_list": true,
	"integrity_check":  true,
	"quick_check":      true,
	"application_id":   false,
	"user_version":     false,
	"schema_version":   false,
	"journal_mode":     false,
	"page_count":       false,
	"page_size":        false,
	"freelist_count":   false,
	"encoding":         false,
	"database_list":    false,
	"function_list":    false,
	"compile_options":  false,
}

// firstStatement cuts sql after its first statement. rest is what follows the
// semicolon, without blanks, comments and empty statements before it.
func firstStatement(sql string) (first, rest string) {
	for i := 0; i < len(sql); {
		if sql[i] == ';' {
			if blank(sql[:i]) { // an empty statement
				return firstStatement(sql[i+1:])
			}
			rest = skipBlank(sql[i+1:])
			for strings.HasPrefix(rest, ";") {
				rest = skipBlank(rest[1:])
			}
			return sql[:i], rest
		}
		i += tokenLength(sql[i:])
	}

	return sql, ""
}

// blank reports whether sql holds nothing but white space and comments.
func blank(sql string) bool { return skipBlank(sql) == "" }

// skipBlank returns sql from its first token that is not a comment.
func skipBlank(sql string) string {
	for sql != "" {
		n := tokenLength(sql)
		comment := strings.HasPrefix(sql, "--") || strings.HasPrefix(sql, "/*")
		if !comment && !strings.ContainsRune(" \t\r\n\f", rune(sql[0])) {
			return sql
		}
		sql = sql[n:]
	}
	return ""
}

// tokenLength is the length of the string, quoted name or comment that sql
// starts with, as SQLite delimits them, or else 1. sql is not empty.
func tokenLength(sql string) int {
	until := func(opening int, end string) int {
		if i := strings.Index(sql[opening:], end); i >= 0 {
			return opening + i + len(end)
		}
		return len(sql)
	}
	switch {
	case strings.HasPrefix(sql, "--"):
		return until(2, "\n")
	case strings.HasPrefix(sql, "/*"):
		return until(2, "*/")
	case sql[0] == '[':
		return until(1, "]")
	case strings.ContainsRune("'\"`", rune(sql[0])):
		// A doubled quote inside ends one string and starts the next, which
		// comes to the same.
		return until(1, sql[:1])
	}
	return 1
}
