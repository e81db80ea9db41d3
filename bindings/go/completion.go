package mcp

import (
	"strings"
	"unicode/utf8"
)

// Completer offers values while somebody fills in an argument or a variable: the best first, of which a client is told
// 100. typed is what is there of it so far, and chosen are the others.
type Completer func(call *Context, typed string, chosen map[string]string) ([]string, error)

// completions are those of a prompt or of a template.
type completions struct {
	of *texts
	by map[string]Completer
}

func (c completions) isThere() bool {
	if len(c.by) > 0 {
		return true
	}
	for _, each := range c.of.fields {
		if each.schema.find("enum") != nil {
			return true
		}
	}
	return false
}

// completes is whether anything can be completed. The caller holds the mutex.
func (p *Plugin) completes() bool {
	for _, each := range p.prompts.byName {
		if each.completions.isThere() {
			return true
		}
	}
	for _, each := range p.templates.byName {
		if each.completions.isThere() {
			return true
		}
	}
	return false
}

func (c completions) values(call *Context, name, typed string, chosen map[string]string) ([]string, error) {
	if complete := c.by[name]; complete != nil {
		return complete(call, typed, chosen)
	}
	var values []string
	for _, each := range c.of.choices(name) {
		if beginsWith(each, typed) {
			values = append(values, each)
		}
	}
	return values, nil
}

// beginsWith is whatever the case of letters, of which one may have more bytes than the other.
func beginsWith(value, typed string) bool {
	letters, count := []rune(value), utf8.RuneCountInString(typed)
	return count <= len(letters) && strings.EqualFold(string(letters[:count]), typed)
}
