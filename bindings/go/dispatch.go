package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
)

type answer struct {
	outcome int
	json    []byte
}

// params are those of all methods.
type params struct {
	Name           string
	URI            string
	URITemplate    string
	Variables      json.RawMessage
	Arguments      json.RawMessage
	InputResponses map[string]json.RawMessage
	Ref            struct {
		Type string `json:"type"`
		Name string `json:"name"`
		URI  string `json:"uri"`
	}
	Argument struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	Context struct {
		Arguments json.RawMessage `json:"arguments"`
	}
}

// UnmarshalJSON takes keys as they are spelled: encoding/json would take others for them that differ in case, of which
// the host knows nothing.
func (p *params) UnmarshalJSON(text []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return err
	}
	for key, into := range map[string]any{
		"name": &p.Name, "uri": &p.URI, "uriTemplate": &p.URITemplate, "variables": &p.Variables,
		"arguments": &p.Arguments, "inputResponses": &p.InputResponses,
		"ref": &p.Ref, "argument": &p.Argument, "context": &p.Context,
	} {
		if member, has := members[key]; has {
			if err := json.Unmarshal(member, into); err != nil {
				return err
			}
		}
	}
	return nil
}

// invoke serves a call. Both texts are the host's memory: what is kept of them is copied.
func (p *Plugin) invoke(id uint64, method, text string) {
	call, end := p.begin(id)
	answer := p.serve(call, method, text)
	end()
	p.host.complete(id, answer.outcome, answer.json)
}

func (p *Plugin) serve(call *Context, method, text string) (given answer) {
	defer func() {
		if what := recover(); what != nil {
			p.Log(LevelError, panicText(what)) // not of the call: its client would read the stack
			given = errorAnswer(&Error{Code: CodeInternalError, Message: fmt.Sprintf("The plugin panicked: %v", what)})
		}
	}()
	var params params
	if err := json.Unmarshal([]byte(text), &params); err != nil {
		return errorAnswer(invalidParams("the parameters cannot be read: " + err.Error()))
	}
	call.input.answers = params.InputResponses
	result, err := p.result(call, method, &params)
	return call.answer(method, result, err)
}

func (p *Plugin) result(call *Context, method string, params *params) (any, error) {
	switch method {
	case "tools/call":
		return p.callTool(call, params)
	case "resources/read":
		return p.readResource(call, params)
	case "prompts/get":
		return p.getPrompt(call, params)
	case "completion/complete":
		return p.complete(call, params)
	}
	return nil, &Error{Code: CodeMethodNotFound, Message: "Unknown method: " + method}
}

// answer is what becomes of what a handler returned.
func (c *Context) answer(method string, result any, err error) answer {
	c.input.mutex.Lock()
	asked := c.input.asked
	c.input.mutex.Unlock()
	switch {
	case len(asked) > 0 && errors.Is(err, errUnanswered):
		return resultAnswer(outcomeInputRequired, object{{"inputRequests", asked}})
	case len(asked) > 0:
		err = errors.New(errorNotReturned)
	}
	if err == nil {
		return resultAnswer(outcomeResult, result)
	}
	isTool := method == "tools/call"
	var told *ToolError
	var known *Error
	switch {
	case errors.As(err, &told) && isTool:
		return resultAnswer(outcomeResult, failedResult(told.Error(), nil))
	case told != nil:
		return errorAnswer(&Error{Code: codeFailedAsTold, Message: told.Error()})
	case errors.As(err, &known):
		return errorAnswer(known)
	case isTool:
		return resultAnswer(outcomeResult, failedResult(err.Error(), Meta{unexpectedKey: true}))
	}
	return errorAnswer(&Error{Code: CodeInternalError, Message: err.Error()})
}

// unexpectedKey marks a failure that nobody has meant for the model: the host decides whether it may read it.
const unexpectedKey = "mcp-plugin-host/unexpected"

func failedResult(text string, meta Meta) *CallToolResult {
	result := textResult(text)
	result.IsError, result.Meta = true, meta
	return result
}

func resultAnswer(outcome int, result any) answer {
	text, err := marshal(result)
	if err != nil {
		return errorAnswer(&Error{Code: CodeInternalError, Message: "the result has no form in JSON: " + err.Error()})
	}
	return answer{outcome, text}
}

func errorAnswer(err *Error) answer {
	text, cannot := marshal(err)
	if cannot != nil { // what the author gave as data is no JSON
		text, _ = marshal(&Error{Code: err.Code, Message: err.Message})
	}
	return answer{outcomeError, text}
}

// find looks among what is described, and then among what was described before: by that the host calls until it has
// taken what it has read last, and on if it refuses it.
func find[Record any](p *Plugin, described, before *registry[Record], name string) (Record, bool) {
	p.mutex.RLock()
	defer p.mutex.RUnlock()
	record, has := described.byName[name]
	if !has {
		record, has = before.byName[name]
	}
	return record, has
}

func (p *Plugin) callTool(call *Context, params *params) (any, error) {
	tool, has := find(p, &p.described.tools, &p.before.tools, params.Name)
	if !has {
		return nil, invalidParams("Unknown tool: " + params.Name)
	}
	arguments := params.Arguments
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	return tool.run(call, arguments)
}

func (p *Plugin) readResource(call *Context, params *params) (any, error) {
	call.uri = params.URI
	resource, has := find(p, &p.described.resources, &p.before.resources, params.URI)
	if params.URITemplate != "" {
		resource, has = find(p, &p.described.templates, &p.before.templates, params.URITemplate)
	}
	if !has {
		return nil, ResourceNotFoundError(params.URI)
	}
	variables, err := parseTexts(params.Variables)
	if err != nil {
		return nil, err
	}
	result, err := resource.run(call, variables)
	if err != nil {
		return nil, err
	}
	return resource.answer(params.URI, result), nil
}

func (p *Plugin) getPrompt(call *Context, params *params) (any, error) {
	prompt, has := find(p, &p.described.prompts, &p.before.prompts, params.Name)
	if !has {
		return nil, invalidParams("Unknown prompt: " + params.Name)
	}
	arguments, err := parseTexts(params.Arguments)
	if err != nil {
		return nil, err
	}
	return prompt.run(call, arguments)
}

func (p *Plugin) complete(call *Context, params *params) (any, error) {
	var from completions
	prompt, hasPrompt := find(p, &p.described.prompts, &p.before.prompts, params.Ref.Name)
	template, hasTemplate := find(p, &p.described.templates, &p.before.templates, params.Ref.URI)
	if isPrompt := params.Ref.Type == "ref/prompt"; isPrompt && hasPrompt {
		from = prompt.completions
	} else if !isPrompt && hasTemplate {
		from = template.completions
	} else {
		return nil, invalidParams("There is no such prompt or resource template: " + params.Ref.Name + params.Ref.URI)
	}
	chosen, err := parseTexts(params.Context.Arguments)
	if err != nil {
		return nil, err
	}
	values, err := from.values(call, params.Argument.Name, params.Argument.Value, chosen)
	if err != nil {
		return nil, err
	}
	return object{{"completion", object{{"values", append([]string{}, values...)}}}}, nil
}
