// Calls the handlers without a host and without loading a library.
package main

import (
	"context"
	"testing"

	"mcp-plugin-host/mcp"
)

func TestHelloGreetsByName(t *testing.T) {
	said, err := hello(mcp.ContextOf(context.Background()), greeting{Name: "Ada"})
	if err != nil || said != "Hello, Ada!" {
		t.Errorf("unexpected: %q, %v", said, err)
	}
}
