package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"time"
)

// Tool is what clients are told of a tool.
type Tool struct {
	Name         string           `json:"name"`
	Title        string           `json:"title,omitempty"`
	Description  string           `json:"description,omitempty"`
	InputSchema  json.RawMessage  `json:"inputSchema"`            // nil: that of In
	OutputSchema json.RawMessage  `json:"outputSchema,omitempty"` // nil: that of Out
	Annotations  *ToolAnnotations `json:"annotations,omitempty"`
	Execution    *ToolExecution   `json:"execution,omitempty"`
	Icons        []Icon           `json:"icons,omitempty"`
	Meta         Meta             `json:"_meta,omitempty"`
	Timeout      time.Duration    `json:"-"` // a call that takes longer is cancelled; 0: when the operator says
	Tags         []string         `json:"-"` // words by which operators choose among tools
}

// maxTimeout is what a host takes.
const maxTimeout = 365 * 24 * time.Hour

// ToolAnnotations are hints, which clients need not believe.
type ToolAnnotations struct {
	Title           string `json:"title,omitempty"`
	ReadOnlyHint    bool   `json:"readOnlyHint,omitempty"`
	DestructiveHint *bool  `json:"destructiveHint,omitempty"` // nil: true
	IdempotentHint  bool   `json:"idempotentHint,omitempty"`
	OpenWorldHint   *bool  `json:"openWorldHint,omitempty"` // nil: true
}

// ToolExecution says with TaskSupport whether calls may become tasks: "optional", "required" or "forbidden".
type ToolExecution struct {
	TaskSupport string `json:"taskSupport,omitempty"`
}

// CallToolResult is complete control of what a tool answers.
type CallToolResult struct {
	Content           []Content
	StructuredContent any // an object in JSON, or nil
	IsError           bool
	Meta              Meta
}

type toolRecord struct {
	text json.RawMessage
	run  func(call *Context, arguments json.RawMessage) (*CallToolResult, error)
}

func (r *toolRecord) description() json.RawMessage { return r.text }

// AddTool adds a tool. While the plugin runs, it replaces one of the same name; so do the functions for other components.
//
// In is a struct whose fields are the arguments: their names by json, their descriptions by jsonschema, and what they
// allow by tags that are named as the keywords of JSON Schema are. A pointer, a default, omitempty or omitzero make an
// argument optional. The host checks arguments, and fills in defaults, before the handler is called. In may also be a map
// or json.RawMessage, with an InputSchema of the tool's own. One for a struct wants additionalProperties false, because
// encoding/json takes keys in any case.
//
// Out is what becomes of the result: a struct or a map is structured content with a schema, and its text; a number, a
// bool, a slice or a type with MarshalJSON is likewise, as the member "result"; a string is text; a Content or a slice of
// them is as it is; any is what its value is, without a schema; *CallToolResult is complete control.
//
// An error of the handler is a result that the model reads, unless it is an *Error; where the operator masks errors, it
// reads those of ToolErrorf alone. A panic is an error of its call.
func AddTool[In, Out any](plugin *Plugin, tool *Tool, handler func(*Context, In) (Out, error)) {
	plugin.change(func() error {
		text, err := toolText(*tool, reflect.TypeFor[In](), reflect.TypeFor[Out]())
		if err != nil {
			return fmt.Errorf("tool %q: %w", tool.Name, err)
		}
		hasOwnSchema := tool.OutputSchema != nil
		record := &toolRecord{text: text, run: func(call *Context, arguments json.RawMessage) (*CallToolResult, error) {
			var in In
			if err := unmarshal(arguments, &in); err != nil {
				return nil, ToolErrorf("the arguments cannot be read: %w", err) // the model may give others
			}
			out, err := handler(call, in)
			if err != nil {
				return nil, err
			}
			return toolResult(reflect.TypeFor[Out](), out, hasOwnSchema)
		}}
		if !plugin.tools.add(tool.Name, record, plugin.served) {
			return fmt.Errorf("tool %q is there already", tool.Name)
		}
		return nil
	})
}

func toolText(tool Tool, in, out reflect.Type) (json.RawMessage, error) {
	var err error
	if tool.InputSchema == nil {
		if tool.InputSchema, err = inputSchema(in); err != nil {
			return nil, err
		}
	}
	if tool.OutputSchema == nil {
		if tool.OutputSchema, err = outputSchema(out); err != nil {
			return nil, fmt.Errorf("its result: %w", err)
		}
	}
	if tool.Meta, err = withTags(tool.Meta, tool.Tags); err != nil {
		return nil, err
	}
	execution, err := executionOf(tool)
	if err != nil {
		return nil, err
	}
	return marshal(struct {
		Tool
		Execution object `json:"execution,omitempty"` // in place of the tool's
	}{tool, execution})
}

func executionOf(tool Tool) (execution object, err error) {
	if tool.Execution != nil && tool.Execution.TaskSupport != "" {
		execution.set("taskSupport", tool.Execution.TaskSupport)
	}
	if tool.Timeout == 0 {
		return execution, nil
	}
	if tool.Timeout < time.Millisecond || tool.Timeout > maxTimeout {
		return nil, fmt.Errorf("its Timeout is %v: give 1ms to %v, or 0 for what the operator allows", tool.Timeout, maxTimeout)
	}
	execution.set("timeoutMs", tool.Timeout.Milliseconds())
	return execution, nil
}

func inputSchema(in reflect.Type) (json.RawMessage, error) {
	schema, err := schemaOf(in, &schemaPlace{use: forInput, pointer: "#"})
	if err != nil {
		return nil, err
	}
	if len(schema) == 0 {
		schema = typed("object")
	}
	if schema.find("type") != "object" {
		return nil, fmt.Errorf("its arguments are a %s: make them a struct", in)
	}
	return marshal(schema)
}

var (
	resultType   = reflect.TypeFor[*CallToolResult]()
	contentType  = reflect.TypeFor[Content]()
	contentsType = reflect.TypeFor[[]Content]()
)

// isContent says whether a result of the type is content and nothing else, which has no schema.
func isContent(out reflect.Type) bool {
	isBlocks := out.Kind() == reflect.Slice && out.Elem().Implements(contentType)
	return out == resultType || out.Implements(contentType) || isBlocks || out.Kind() == reflect.String ||
		out.Kind() == reflect.Interface || out == rawMessageType || isNothing(out)
}

func isNothing(out reflect.Type) bool {
	return out.Kind() == reflect.Struct && out.NumField() == 0 && !implements(out, marshalerType)
}

func outputSchema(out reflect.Type) (json.RawMessage, error) {
	if isContent(out) {
		return nil, nil
	}
	place := &schemaPlace{use: forOutput, pointer: "#"}
	if !isObject(out) {
		place = place.below("properties", "result")
	}
	schema, err := schemaOf(out, place)
	if err != nil {
		return nil, err
	}
	if !isObject(out) {
		if out.Kind() == reflect.Slice || out.Kind() == reflect.Pointer {
			schema = nullable(schema)
		}
		schema = object{{"type", "object"}, {"properties", object{{"result", schema}}}, {"required", []string{"result"}}}
	}
	return marshal(schema)
}

func isObject(out reflect.Type) bool {
	if implements(out, marshalerType) || implements(out, textMarshalerType) {
		return false
	}
	if out.Kind() == reflect.Pointer {
		out = out.Elem()
	}
	return out.Kind() == reflect.Struct || out.Kind() == reflect.Map
}

// toolResult is what becomes of a value that a handler of that type returned. What a type's own MarshalJSON writes is a
// member, as its schema says, unless the author's schema says otherwise.
func toolResult(out reflect.Type, value any, hasOwnSchema bool) (*CallToolResult, error) {
	switch value := value.(type) {
	case *CallToolResult:
		if value == nil {
			return &CallToolResult{}, nil
		}
		return value, nil
	case Content:
		return &CallToolResult{Content: []Content{value}}, nil
	case nil:
		return &CallToolResult{}, nil
	}
	of := reflect.ValueOf(value)
	switch {
	case isNothing(of.Type()):
		return &CallToolResult{}, nil
	case of.Kind() == reflect.String:
		return textResult(of.String()), nil
	case of.Kind() == reflect.Slice && of.Type().Elem().Implements(contentType):
		result := &CallToolResult{}
		for i := range of.Len() {
			result.Content = append(result.Content, of.Index(i).Interface().(Content))
		}
		return result, nil
	}
	addressable := reflect.New(of.Type()) // for types whose pointers say how they are written
	addressable.Elem().Set(of)
	text, err := marshal(addressable.Interface())
	if err != nil {
		return nil, &Error{Code: CodeInternalError, Message: "the result has no form in JSON: " + err.Error()}
	}
	result := textResult(string(text))
	switch {
	case bytes.HasPrefix(text, []byte{'{'}) && (isContent(out) || isObject(out) || hasOwnSchema):
		result.StructuredContent = json.RawMessage(text)
	case !isContent(out) && isObject(out):
		result.StructuredContent = json.RawMessage("{}") // of a nil map
	case !isContent(out):
		result.StructuredContent = object{{"result", json.RawMessage(text)}}
	}
	return result, nil
}

func textResult(text string) *CallToolResult {
	return &CallToolResult{Content: []Content{&TextContent{Text: text}}}
}

// MarshalJSON writes MCP's form.
func (r *CallToolResult) MarshalJSON() ([]byte, error) {
	result := object{{"content", append([]Content{}, r.Content...)}}
	if r.StructuredContent != nil {
		result.set("structuredContent", r.StructuredContent)
	}
	if r.IsError {
		result.set("isError", true)
	}
	if r.Meta != nil {
		result.set("_meta", r.Meta)
	}
	return marshal(result)
}
