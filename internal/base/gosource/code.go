package gosource

import (
	"cmp"
	"go/scanner"
	"go/token"
	"strings"
)

// Code returns the tokens of Go source, without comments and what only layout asks for:
// semicolons, and commas before a closing bracket.
func Code(source []byte) string {
	var code strings.Builder
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(source)), source, nil, 0)

	comma := false // is to be written
	for {
		_, tok, text := s.Scan()
		if tok == token.EOF {
			return code.String()
		}
		if tok == token.SEMICOLON {
			continue
		}
		if comma && tok != token.RPAREN && tok != token.RBRACE && tok != token.RBRACK {
			code.WriteString(", ")
		}
		if comma = tok == token.COMMA; !comma {
			code.WriteString(cmp.Or(text, tok.String()) + " ")
		}
	}
}
