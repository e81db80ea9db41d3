// The plugin @NAME@, for mcp-plugin-host.
package main

import "mcp-plugin-host/mcp"

func main() {} // a library has none

func init() {
	mcp.Export(&mcp.Implementation{Name: "@NAME@", Version: "0.1.0"}, setup)
}

// setup says what this plugin exports. It is called once for each instance of the plugin.
func setup(plugin *mcp.Plugin) error {
	mcp.AddTool(plugin, &mcp.Tool{
		Name:        "hello",
		Description: "Greets somebody.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
	}, hello)
	return nil
}

type greeting struct {
	Name string `json:"name" jsonschema:"Whom to greet" minLength:"1"`
}

func hello(call *mcp.Context, in greeting) (string, error) {
	return "Hello, " + in.Name + "!", nil
}
