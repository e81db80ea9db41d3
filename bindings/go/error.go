package mcp

import (
	"encoding/json"
	"fmt"
)

// Codes of JSON-RPC and MCP.
const (
	CodeInvalidParams    = -32602
	CodeInternalError    = -32603
	CodeMethodNotFound   = -32601
	CodeResourceNotFound = -32002
)

// codeFailedAsTold is of what is no tool and fails in words that are meant for whoever asked: hosts mask those of an
// internal error. JSON-RPC leaves it to its users (section 5.1).
const codeFailedAsTold = 1

// Error is a JSON-RPC error. A tool that returns one tells the client's program that the call was wrong; any other error
// is a result for the model.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// ToolError is an error in words that the model is meant to read, such as what it can do instead: it does so also where
// the operator masks errors, and then nothing of what it is wrapped in. Of a resource, a prompt or a completion it is a
// JSON-RPC error with the code 1.
type ToolError struct{ Err error }

// ToolErrorf makes one as fmt.Errorf does.
func ToolErrorf(format string, arguments ...any) error {
	return &ToolError{fmt.Errorf(format, arguments...)}
}

func (e *ToolError) Error() string { return e.Err.Error() }
func (e *ToolError) Unwrap() error { return e.Err }

// ResourceNotFoundError says that there is no such resource.
func ResourceNotFoundError(uri string) error {
	data, _ := marshal(object{{"uri", uri}})
	return &Error{Code: CodeResourceNotFound, Message: "There is no resource " + uri, Data: data}
}

func invalidParams(message string) *Error { return &Error{Code: CodeInvalidParams, Message: message} }
