// The echo server of the official Go SDK, as its examples make one: a typed tool, no sessions, JSON answers.
package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type echoArguments struct {
	Text string `json:"text" jsonschema:"What to say"`
}

func echo(_ context.Context, _ *mcp.CallToolRequest, arguments echoArguments) (*mcp.CallToolResult, any, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: arguments.Text}}}, nil, nil
}

func main() {
	options := &mcp.ServerOptions{SchemaCache: mcp.NewSchemaCache()}
	server := mcp.NewServer(&mcp.Implementation{Name: "echo", Version: "1.0.0"}, options)
	mcp.AddTool(server, &mcp.Tool{Name: "echo", Description: "Says what it is given."}, echo)
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening", listener.Addr().(*net.TCPAddr).Port)
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	log.Fatal(http.Serve(listener, mux))
}
