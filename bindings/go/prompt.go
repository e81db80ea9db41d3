package mcp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

// Prompt is what clients are told of a prompt; its arguments are the fields of its handler's struct.
type Prompt struct {
	Name        string               `json:"name"`
	Title       string               `json:"title,omitempty"`
	Description string               `json:"description,omitempty"`
	Arguments   []*PromptArgument    `json:"arguments,omitempty"` // nil: those of In
	Icons       []Icon               `json:"icons,omitempty"`
	Meta        Meta                 `json:"_meta,omitempty"`
	Tags        []string             `json:"-"`
	Completions map[string]Completer `json:"-"` // by argument; what an enum allows needs none
}

// PromptArgument is an argument of a prompt.
type PromptArgument struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

// PromptMessage is what somebody has said. Role is "user" or "assistant".
type PromptMessage struct {
	Role    string  `json:"role"`
	Content Content `json:"content"`
}

// UserMessage is a text of the user's.
func UserMessage(text string) *PromptMessage {
	return &PromptMessage{Role: "user", Content: &TextContent{Text: text}}
}

// AssistantMessage is a text of the model's.
func AssistantMessage(text string) *PromptMessage {
	return &PromptMessage{Role: "assistant", Content: &TextContent{Text: text}}
}

// GetPromptResult is complete control of what a prompt answers.
type GetPromptResult struct {
	Description string           `json:"description,omitempty"`
	Messages    []*PromptMessage `json:"messages"`
	Meta        Meta             `json:"_meta,omitempty"`
}

type promptRecord struct {
	text        json.RawMessage
	run         func(call *Context, arguments map[string]string) (*GetPromptResult, error)
	completions completions
}

func (r *promptRecord) description() json.RawMessage { return r.text }

// AddPrompt adds a prompt. In is a struct whose fields are the arguments, or a map[string]string. Out is a string, which
// becomes a message of the user's; a *PromptMessage or a slice of them; or *GetPromptResult.
func AddPrompt[In, Out any](plugin *Plugin, prompt *Prompt, handler func(*Context, In) (Out, error)) {
	plugin.change(func() error {
		record, err := newPromptRecord(*prompt, reflect.TypeFor[In]())
		if err != nil {
			return fmt.Errorf("prompt %q: %w", prompt.Name, err)
		}
		if err := requireMessages(reflect.TypeFor[Out]()); err != nil {
			return fmt.Errorf("prompt %q: %w", prompt.Name, err)
		}
		arguments, description := record.completions.of, prompt.Description
		record.run = func(call *Context, given map[string]string) (*GetPromptResult, error) {
			var in In
			if err := arguments.read(given, reflect.ValueOf(&in).Elem()); err != nil {
				return nil, err
			}
			out, err := handler(call, in)
			if err != nil {
				return nil, err
			}
			return promptResult(out, description), nil
		}
		if !plugin.prompts.add(prompt.Name, record, plugin.served) {
			return fmt.Errorf("prompt %q is there already", prompt.Name)
		}
		return nil
	})
}

func newPromptRecord(prompt Prompt, in reflect.Type) (*promptRecord, error) {
	arguments, err := textsOf(in)
	if err != nil {
		return nil, err
	}
	if prompt.Arguments == nil {
		for _, each := range arguments.fields {
			prompt.Arguments = append(prompt.Arguments, &PromptArgument{Name: each.name, Title: each.tag.Get("title"),
				Description: each.tag.Get("jsonschema"), Required: each.isRequired(forInput)})
		}
	}
	for name := range prompt.Completions {
		isIt := func(argument *PromptArgument) bool { return argument.Name == name }
		if !slices.ContainsFunc(prompt.Arguments, isIt) {
			return nil, fmt.Errorf("it has no argument %q to complete", name)
		}
	}
	if prompt.Meta, err = withTags(prompt.Meta, prompt.Tags); err != nil {
		return nil, err
	}
	text, err := marshal(prompt)
	return &promptRecord{text: text, completions: completions{of: arguments, by: prompt.Completions}}, err
}

func requireMessages(out reflect.Type) error {
	switch out {
	case reflect.TypeFor[string](), reflect.TypeFor[*PromptMessage](), reflect.TypeFor[[]*PromptMessage](),
		reflect.TypeFor[*GetPromptResult]():
		return nil
	}
	return fmt.Errorf("its handler returns a %s: return a string, *mcp.PromptMessage, []*mcp.PromptMessage or "+
		"*mcp.GetPromptResult", out)
}

func promptResult(out any, description string) *GetPromptResult {
	result := &GetPromptResult{}
	switch out := out.(type) {
	case string:
		result.Messages = []*PromptMessage{UserMessage(out)}
	case *PromptMessage:
		result.Messages = []*PromptMessage{out}
	case []*PromptMessage:
		result.Messages = out
	case *GetPromptResult:
		if out != nil {
			*result = *out
		}
	}
	if result.Description == "" {
		result.Description = description
	}
	result.Messages = append([]*PromptMessage{}, result.Messages...)
	return result
}
