// Package mcp is for plugins of mcp-plugin-host that are written in Go.
//
// A plugin is a package main that is built with -buildmode=c-shared, and that calls [Export] in a function init:
//
//	func main() {} // a library has none
//
//	func init() {
//		mcp.Export(&mcp.Implementation{Name: "weather", Version: "1.0.0"}, setup)
//	}
//
//	func setup(plugin *mcp.Plugin) error {
//		mcp.AddTool(plugin, &mcp.Tool{Name: "hello", Description: "Greets somebody."},
//			func(call *mcp.Context, in greeting) (string, error) { return "Hello, " + in.Name + "!", nil })
//		return nil
//	}
//
// Handlers are called side by side, each on a thread of the host's. What may be slow listens to its [Context].
//
// The contract below it is mcp/plugin.h, which is looked for where the host's sources or its installation have it; for
// another place set CGO_CFLAGS to -I and that folder.
package mcp
