package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
)

// A handler asks the client by a method of its context, and returns the error that it is given as long as there is no
// answer. The host then asks, and the handler is called again from its beginning, perhaps on a newer version of the
// plugin, with all answers so far. So it asks before it changes anything, and each question has a name of its own.

// inputs are the answers that a call has come with, and what it asks for now.
type inputs struct {
	answers map[string]json.RawMessage
	mutex   sync.Mutex
	asked   object
}

var errUnanswered = errors.New("the client is being asked")

const errorNotReturned = "The handler did not return the error that it was given when it asked the client: return it, and " +
	"the handler is called again with the answer."

// InputRequest is what a client is asked: "elicitation/create", "sampling/createMessage" or "roots/list".
type InputRequest struct {
	Method string `json:"method"`
	Params any    `json:"params"`
}

// Ask asks several things at once, by their names.
func (c *Context) Ask(requests map[string]*InputRequest) (map[string]json.RawMessage, error) {
	c.input.mutex.Lock()
	defer c.input.mutex.Unlock()
	if c.host == nil {
		return nil, errors.New("there is no client to be asked")
	}
	answers := map[string]json.RawMessage{}
	for name, request := range requests {
		if answer, has := c.input.answers[name]; has {
			answers[name] = answer
		} else {
			c.input.asked.set(name, request)
		}
	}
	if len(c.input.asked) > 0 {
		return nil, errUnanswered
	}
	return answers, nil
}

func ask[Answer any](c *Context, name string, request *InputRequest) (*Answer, error) {
	answers, err := c.Ask(map[string]*InputRequest{name: request})
	if err != nil {
		return nil, err
	}
	answer := new(Answer)
	if err := unmarshalAsSpelled(answers[name], answer); err != nil {
		return nil, fmt.Errorf("the answer %q cannot be read: %w", name, err)
	}
	return answer, nil
}

// What became of a question to the user.
const (
	Accept  = "accept"
	Decline = "decline"
	Cancel  = "cancel"
)

// ElicitResult is the user's answer. Content is filled in if Action is Accept.
type ElicitResult[Form any] struct {
	Action  string `json:"action"`
	Content Form   `json:"content"`
}

// Elicit asks the user by a form: a struct of numbers, strings, bools, and slices of strings with an enum. Never ask for
// secrets so; ElicitURL is for them.
func Elicit[Form any](call *Context, name, message string) (*ElicitResult[Form], error) {
	request, err := FormRequest[Form](message)
	if err != nil {
		return nil, err
	}
	answer, err := ask[ElicitResult[json.RawMessage]](call, name, request)
	if err != nil {
		return nil, err
	}
	result := &ElicitResult[Form]{Action: answer.Action}
	if answer.Action != Accept || len(answer.Content) == 0 {
		return result, nil
	}
	if err := setDefaults(reflect.ValueOf(&result.Content).Elem()); err != nil {
		return nil, err
	}
	if err := unmarshalAsSpelled(answer.Content, &result.Content); err != nil {
		return nil, fmt.Errorf("the answer %q cannot be read: %w", name, err)
	}
	return result, nil
}

// unmarshalAsSpelled reads into a struct the members that are named as its fields are: encoding/json would take others for
// them that differ in case, which the host has not checked.
func unmarshalAsSpelled(text []byte, into any) error {
	fields, err := fieldsOf(reflect.TypeOf(into).Elem())
	if err != nil {
		return err
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(text, &given); err != nil {
		return err
	}
	known := map[string]json.RawMessage{}
	for _, field := range fields {
		if member, has := given[field.name]; has {
			known[field.name] = member
		}
	}
	plain, err := marshal(known)
	if err != nil {
		return err
	}
	return unmarshal(plain, into)
}

// setDefaults is for a form's fields that the user leaves out.
func setDefaults(form reflect.Value) error {
	fields, err := fieldsOf(form.Type())
	if err != nil {
		return err
	}
	for _, field := range fields {
		text, has := field.tag.Lookup("default")
		if !has {
			continue
		}
		value, err := keywordValue("default", text, field.of)
		if err == nil {
			var written []byte
			if written, err = marshal(value); err == nil {
				err = unmarshal(written, form.FieldByIndex(field.index).Addr().Interface())
			}
		}
		if err != nil {
			return fmt.Errorf("the default of %q: %w", field.name, err)
		}
	}
	return nil
}

// FormRequest is what Elicit asks, for Ask.
func FormRequest[Form any](message string) (*InputRequest, error) {
	of := reflect.TypeFor[Form]()
	schema, err := schemaOf(of, &schemaPlace{use: forForm, pointer: "#"})
	if err == nil && of.Kind() != reflect.Struct {
		err = errors.New("make it a struct")
	}
	if err != nil {
		return nil, fmt.Errorf("the form %s: %w", of, err)
	}
	params := object{{"mode", "form"}, {"message", message}, {"requestedSchema", schema}}
	return &InputRequest{"elicitation/create", params}, nil
}

// ElicitURL asks the user to open a page, and returns Accept, Decline or Cancel.
func (c *Context) ElicitURL(name, message, url string) (string, error) {
	params := object{{"mode", "url"}, {"message", message}, {"url", url}}
	answer, err := ask[ElicitResult[json.RawMessage]](c, name, &InputRequest{"elicitation/create", params})
	if err != nil {
		return "", err
	}
	return answer.Action, nil
}

// CreateMessageParams is what the client's model is given.
type CreateMessageParams struct {
	Messages      []*PromptMessage `json:"messages"`
	MaxTokens     int64            `json:"maxTokens"`
	SystemPrompt  string           `json:"systemPrompt,omitempty"`
	Temperature   *float64         `json:"temperature,omitempty"` // nil: what the client likes
	StopSequences []string         `json:"stopSequences,omitempty"`
}

// CreateMessageResult is what the model says. Content is a block, or an array of them.
type CreateMessageResult struct {
	Role       string          `json:"role"`
	Model      string          `json:"model"`
	StopReason string          `json:"stopReason"`
	Content    json.RawMessage `json:"content"`
}

// Text is all of the answer that is text.
func (r *CreateMessageResult) Text() string {
	type textBlock struct{ Text string }
	var blocks []textBlock
	if json.Unmarshal(r.Content, &blocks) != nil {
		blocks = []textBlock{{}}
		if json.Unmarshal(r.Content, &blocks[0]) != nil {
			return ""
		}
	}
	var text string
	for _, each := range blocks {
		if text != "" && each.Text != "" {
			text += "\n"
		}
		text += each.Text
	}
	return text
}

// CreateMessage asks the client's model.
func (c *Context) CreateMessage(name string, params *CreateMessageParams) (*CreateMessageResult, error) {
	return ask[CreateMessageResult](c, name, &InputRequest{"sampling/createMessage", params})
}

// Root is a folder that the client works in.
type Root struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

// ListRoots asks the client for its roots.
func (c *Context) ListRoots(name string) ([]*Root, error) {
	type list struct {
		Roots []*Root `json:"roots"`
	}
	answer, err := ask[list](c, name, &InputRequest{"roots/list", object{}})
	if err != nil {
		return nil, err
	}
	return answer.Roots, nil
}
