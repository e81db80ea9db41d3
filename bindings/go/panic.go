package mcp

import (
	"fmt"
	"runtime/debug"
	"strings"
)

// panicText is what the log says of a panic that has just been recovered: from where it happened.
func panicText(what any) string {
	stack := string(debug.Stack())
	if _, rest, found := strings.Cut(stack, "\npanic("); found { // its line, and that of its place
		if lines := strings.SplitN(rest, "\n", 3); len(lines) == 3 {
			stack = lines[2]
		}
	}
	return fmt.Sprintf("panic: %v\n%s", what, stack)
}
