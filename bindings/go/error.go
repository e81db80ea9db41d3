package mcp

import "encoding/json"

// Codes of JSON-RPC and MCP.
const (
	CodeInvalidParams    = -32602
	CodeInternalError    = -32603
	CodeMethodNotFound   = -32601
	CodeResourceNotFound = -32002
)

// Error is a JSON-RPC error. A tool that returns one tells the client's program that the call was wrong; any other error
// is a result that the model reads.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// ResourceNotFoundError says that there is no such resource.
func ResourceNotFoundError(uri string) error {
	data, _ := marshal(object{{"uri", uri}})
	return &Error{Code: CodeResourceNotFound, Message: "There is no resource " + uri, Data: data}
}

func invalidParams(message string) *Error { return &Error{Code: CodeInvalidParams, Message: message} }
