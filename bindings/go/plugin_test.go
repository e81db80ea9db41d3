package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeHost keeps what a plugin does with its host.
type fakeHost struct {
	mutex    sync.Mutex
	settings string
	reasons  map[uint64]int32
	answers  map[uint64]string
	said     []string
	changes  int
	fakeInterfaces
}

func (h *fakeHost) say(words ...any) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.said = append(h.said, fmt.Sprintln(words...))
}

func (h *fakeHost) complete(call uint64, outcome int, json []byte) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.answers[call] = fmt.Sprintf("%d %s", outcome, json)
}

func (h *fakeHost) progress(_ uint64, progress, total float64, message string) {
	h.say(progress, total, message)
}
func (h *fakeHost) log(call uint64, level Level, message string) { h.say(call, level, message) }
func (h *fakeHost) isCancelled(call uint64) int32                { return h.reasons[call] }
func (h *fakeHost) callContext(uint64) string {
	return `{"protocolVersion":"2026-07-28","client":{"name":"tester"},"deadline":1700000000000}`
}
func (h *fakeHost) caller(uint64) string    { return `{"principal":{"id":"ada","roles":["admin"]}}` }
func (h *fakeHost) configuration() string   { return h.settings }
func (h *fakeHost) dataDirectory() string   { return "" }
func (h *fakeHost) bundleDirectory() string { return "/bundles/notes" }
func (h *fakeHost) componentsChanged() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.changes++
}
func (h *fakeHost) resourceUpdated(uri string) { h.say("updated", uri) }

func served(t *testing.T, setup func(*Plugin) error) (*Plugin, *fakeHost) {
	t.Helper()
	host := &fakeHost{answers: map[uint64]string{}, reasons: map[uint64]int32{}}
	plugin, err := newPlugin(host, setup)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plugin.describe(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plugin.stop)
	return plugin, host
}

type none struct{}

// ofToolSaid is a plugin with one tool that does nothing.
func ofToolSaid(tool *Tool) func(*Plugin) error {
	return func(plugin *Plugin) error {
		AddTool(plugin, tool, func(*Context, none) (string, error) { return "", nil })
		return nil
	}
}

// ofTool is a plugin with one tool.
func ofTool[In, Out any](handler func(*Context, In) (Out, error)) func(*Plugin) error {
	return func(plugin *Plugin) error {
		AddTool(plugin, &Tool{Name: "it"}, handler)
		return nil
	}
}

// called is what a call of the tool `it` is completed with.
func called(t *testing.T, setup func(*Plugin) error, params string) string {
	t.Helper()
	plugin, host := served(t, setup)
	plugin.invoke(1, "tools/call", params)
	return host.answers[1]
}

func returning[Out any](value Out) func(*Plugin) error {
	return ofTool(func(*Context, none) (Out, error) { return value, nil })
}

// span writes itself, as an object.
type span struct{ from, to int }

func (s span) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{"from":%d,"to":%d}`, s.from, s.to), nil
}

func TestWhatAToolReturnsBecomesItsResult(t *testing.T) {
	type point struct {
		X int `json:"x"`
	}
	const text = `0 {"content":[{"type":"text","text":`
	for _, each := range []struct {
		setup func(*Plugin) error
		want  string
	}{
		{returning("a<b"), text + `"a<b"}]}`},
		{returning(5), text + `"5"}],"structuredContent":{"result":5}}`},
		{returning([]int(nil)), text + `"null"}],"structuredContent":{"result":null}}`},
		{returning(point{1}), text + `"{\"x\":1}"}],"structuredContent":{"x":1}}`},
		{returning(span{1, 2}), text + `"{\"from\":1,\"to\":2}"}],"structuredContent":{"result":{"from":1,"to":2}}}`},
		{func(plugin *Plugin) error {
			AddTool(plugin, &Tool{Name: "it", OutputSchema: json.RawMessage(`{"type":"object"}`)},
				func(*Context, none) (span, error) { return span{1, 2}, nil })
			return nil
		}, text + `"{\"from\":1,\"to\":2}"}],"structuredContent":{"from":1,"to":2}}`},
		{returning(map[string]int(nil)), text + `"null"}],"structuredContent":{}}`},
		{returning(struct{ X big.Rat }{*big.NewRat(1, 2)}), text + `"{\"X\":\"1/2\"}"}],"structuredContent":{"X":"1/2"}}`},
		{returning(any("free")), text + `"free"}]}`},
		{returning(any(nil)), `0 {"content":[]}`},
		{returning(none{}), `0 {"content":[]}`},
		{returning(&TextContent{Text: "t"}), text + `"t"}]}`},
		{returning([]Content{&ImageContent{Data: []byte{1}, MIMEType: "image/png"}}),
			`0 {"content":[{"type":"image","data":"AQ==","mimeType":"image/png"}]}`},
		{returning(&CallToolResult{IsError: true}), `0 {"content":[],"isError":true}`},
	} {
		expect(t, called(t, each.setup, `{"name":"it","arguments":{}}`), each.want)
	}
}

func TestWhatAHandlerDoesWrongIsAnErrorOfItsCall(t *testing.T) {
	failing := func(err error) func(*Plugin) error {
		return ofTool(func(*Context, none) (string, error) { return "", err })
	}
	expect(t, called(t, failing(errors.New("no paper")), `{"name":"it"}`),
		`0 {"content":[{"type":"text","text":"no paper"}],"isError":true,"_meta":{"mcp-plugin-host/unexpected":true}}`)
	expect(t, called(t, failing(fmt.Errorf("there: %w", &Error{Code: 7, Message: "seven"})), `{"name":"it"}`),
		`1 {"code":7,"message":"seven"}`)
	expect(t, called(t, failing(nil), `{"name":"other"}`), `1 {"code":-32602,"message":"Unknown tool: other"}`)
	expect(t, called(t, failing(nil), `{"name":"it","NAME":"other"}`), called(t, failing(nil), `{"name":"it"}`))

	plugin, host := served(t, ofTool(func(*Context, none) (string, error) { panic("broken") }))
	plugin.invoke(1, "tools/call", `{"name":"it"}`)
	expect(t, host.answers[1], `1 {"code":-32603,"message":"The plugin panicked: broken"}`)
	if len(host.said) != 1 || !strings.Contains(host.said[0], "plugin_test.go") {
		t.Errorf("the log leads to the line: %q", host.said)
	}
	if !strings.HasPrefix(host.said[0], "0 ") {
		t.Errorf("a client reads what is logged of its call: %q", host.said)
	}
}

func TestArgumentsThatTheTypeCannotTakeAreToldToTheModel(t *testing.T) {
	type meeting struct {
		When time.Time `json:"when"`
	}
	setup := ofTool(func(_ *Context, in meeting) (string, error) { return in.When.String(), nil })
	answer := called(t, setup, `{"name":"it","arguments":{"when":"tomorrow"}}`)
	const want = `0 {"content":[{"type":"text","text":"the arguments cannot be read: parsing time`
	if !strings.HasPrefix(answer, want) || !strings.HasSuffix(answer, `"}],"isError":true}`) {
		t.Error(answer)
	}
}

func TestWhatIsMeantForTheModelIsNotMarkedAsUnexpected(t *testing.T) {
	told := ToolErrorf("there is no %q: %w", "Atlantis", &Error{Code: 7, Message: "seven"})
	const want = `0 {"content":[{"type":"text","text":"there is no \"Atlantis\": seven"}],"isError":true}`
	for _, err := range []error{told, fmt.Errorf("SELECT: %w", told)} {
		expect(t, called(t, ofTool(func(*Context, none) (string, error) { return "", err }), `{"name":"it"}`), want)
	}
	plugin, host := served(t, func(plugin *Plugin) error {
		AddPrompt(plugin, &Prompt{Name: "p"}, func(*Context, none) (string, error) { return "", told })
		return nil
	})
	plugin.invoke(1, "prompts/get", `{"name":"p"}`)
	expect(t, host.answers[1], `1 {"code":1,"message":"there is no \"Atlantis\": seven"}`)
}

// said has a form as a text, and cannot be read from one.
type said struct{ text string }

func (s said) MarshalText() ([]byte, error) { return []byte(s.text), nil }

// ofPrompt is a plugin with one prompt.
func ofPrompt[In any]() func(*Plugin) error {
	return func(plugin *Plugin) error {
		AddPrompt(plugin, &Prompt{Name: "p"}, func(*Context, In) (string, error) { return "", nil })
		return nil
	}
}

func ofResource[Out any]() func(*Plugin) error {
	return func(plugin *Plugin) error {
		AddResource(plugin, &Resource{URI: "a://b"}, func(*Context) (out Out, err error) { return })
		return nil
	}
}

func TestASetupThatFailsSaysWhy(t *testing.T) {
	host := &fakeHost{}
	for _, each := range []struct {
		setup func(*Plugin) error
		words string
	}{
		{nil, "call mcp.Export"},
		{func(*Plugin) error { return errors.New("no key") }, "no key"},
		{func(*Plugin) error { panic("oh") }, "its setup panicked: oh"},
		{ofTool(func(*Context, int) (string, error) { return "", nil }), `tool "it": its arguments are a int: make them a struct`},
		{ofTool(func(*Context, none) (chan int, error) { return nil, nil }), `tool "it": its result: chan int has no form`},
		{func(plugin *Plugin) error {
			_ = returning("a")(plugin)
			return returning("b")(plugin)
		}, `tool "it" is there already`},
		{func(plugin *Plugin) error {
			AddResourceTemplate(plugin, &ResourceTemplate{URITemplate: "a://{n}"},
				func(*Context, struct{ M int }) (string, error) { return "", nil })
			return nil
		}, `resource template "a://{n}": it has no variable "M"`},
		{func(plugin *Plugin) error {
			AddPrompt(plugin, &Prompt{Name: "p"}, func(*Context, none) (int, error) { return 0, nil })
			return nil
		}, `prompt "p": its handler returns a int: return a string`},
		{func(plugin *Plugin) error {
			AddPrompt(plugin, &Prompt{Name: "p", Completions: map[string]Completer{"m": nil}},
				func(*Context, struct{ N int }) (string, error) { return "", nil })
			return nil
		}, `prompt "p": it has no argument "m" to complete`},
		{func(plugin *Plugin) error {
			AddResourceTemplate(plugin, &ResourceTemplate{URITemplate: "files://{+path}"},
				func(*Context, struct {
					Path string `json:"path" pattern:"^[a-z/]+$"`
				}) (string, error) {
					return "", nil
				})
			return nil
		}, `resource template "files://{+path}": field "path": a pattern is only checked of a tool's arguments: check it in the`},
		{ofPrompt[struct {
			Word string `json:"word" pattern:"^[a-z]+$"`
		}](), `prompt "p": field "word": a pattern is only checked of a tool's arguments`},
		{ofPrompt[struct {
			N int `multipleOf:"0"`
		}](), `prompt "p": field "N": its multipleOf 0 is not more than 0`},
		{ofPrompt[struct {
			N int `multipleOf:"2" default:"3"`
		}](), `prompt "p": field "N": its default 3 must be a multiple of 2`},
		{ofPrompt[struct{ Data []byte }](), `prompt "p": field "Data": a []uint8 cannot be read from a text: make it a number`},
		{ofPrompt[struct{ Words *said }](), `prompt "p": field "Words": a *mcp.said cannot be read from a text`},
		{ofToolSaid(&Tool{Name: "it", Timeout: time.Microsecond}),
			`tool "it": its Timeout is 1µs: give 1ms to 8760h0m0s, or 0 for what the operator allows`},
		{ofToolSaid(&Tool{Name: "it", Timeout: -time.Second}), `tool "it": its Timeout is -1s: give 1ms to`},
		{ofToolSaid(&Tool{Name: "it", Timeout: 8761 * time.Hour}), `tool "it": its Timeout is 8761h0m0s: give 1ms to`},
		{ofToolSaid(&Tool{Name: "it", Tags: []string{"good", "two words"}}),
			`tool "it": its tag "two words" is not 1 to 128 characters of A-Za-z0-9_.-`},
		{ofToolSaid(&Tool{Name: "it", Tags: []string{""}}), `tool "it": its tag "" is not`},
		{ofToolSaid(&Tool{Name: "it", Tags: []string{strings.Repeat("a", 129)}}), `tool "it": its tag "aaa`},
		{func(plugin *Plugin) error {
			AddPrompt(plugin, &Prompt{Name: "p", Tags: []string{"ä"}}, func(*Context, none) (string, error) { return "", nil })
			return nil
		}, `prompt "p": its tag "ä" is not`},
		{func(plugin *Plugin) error {
			AddResource(plugin, &Resource{URI: "a://b", Tags: []string{"a\n"}}, func(*Context) (string, error) { return "", nil })
			return nil
		}, `resource "a://b": its tag "a\n" is not`},
		{func(plugin *Plugin) error {
			AddResourceTemplate(plugin, &ResourceTemplate{URITemplate: "a://b", Tags: []string{"a b"}},
				func(*Context, none) (string, error) { return "", nil })
			return nil
		}, `resource template "a://b": its tag "a b" is not`},
		{func(plugin *Plugin) error {
			AddResource(plugin, &Resource{URI: "a://{n}"}, func(*Context) (string, error) { return "", nil })
			return nil
		}, `resource "a://{n}": a URI with * or {} stands for many resources: use AddResourceTemplate`},
		{func(plugin *Plugin) error {
			AddResource(plugin, &Resource{URI: "a://*"}, func(*Context) (string, error) { return "", nil })
			return nil
		}, `resource "a://*": a URI with * or {}`},
		{ofResource[*ResourceContents](),
			`resource "a://b": its handler returns a *mcp.ResourceContents: return *mcp.ReadResourceResult`},
		{ofResource[[]*ResourceContents](), `its handler returns a []*mcp.ResourceContents: return`},
		{ofResource[*ImageContent](), `its handler returns a *mcp.ImageContent: return`},
		{ofResource[[]Content](), `its handler returns a []mcp.Content: return`},
		{ofResource[ReadResourceResult](), `its handler returns a mcp.ReadResourceResult: return`},
		{func(plugin *Plugin) error {
			AddResourceTemplate(plugin, &ResourceTemplate{URITemplate: "a://{n}"},
				func(*Context, struct {
					N string `json:"n"`
				}) (*TextContent, error) {
					return nil, nil
				})
			return nil
		}, `resource template "a://{n}": its handler returns a *mcp.TextContent: return *mcp.ReadResourceResult`},
	} {
		_, err := newPlugin(host, each.setup)
		expectError(t, err, each.words)
	}
}

func TestTheContextOfAPluginWhoseSetupFailsIsDone(t *testing.T) {
	var context context.Context
	_, err := newPlugin(&fakeHost{}, func(plugin *Plugin) error {
		context = plugin.Context()
		return fmt.Errorf("no")
	})
	expectError(t, err, "no")
	<-context.Done()
}

func TestACallIsCancelledWithItsCause(t *testing.T) {
	begun := make(chan struct{})
	plugin, host := served(t, ofTool(func(call *Context, _ none) (string, error) {
		derived, end := context.WithTimeout(call, time.Hour)
		defer end()
		close(begun)
		<-derived.Done()
		return "", fmt.Errorf("%v because %w", derived.Err(), context.Cause(derived))
	}))
	host.reasons[2] = cancelShutdown
	ended := make(chan struct{})
	go func() {
		plugin.invoke(1, "tools/call", `{"name":"it"}`)
		close(ended)
	}()
	<-begun
	plugin.cancel(1, cancelDeadline)
	<-ended
	expect(t, host.answers[1], `0 {"content":[{"type":"text","text":"context canceled because the call was cancelled, `+
		`because it took too long"}],"isError":true,"_meta":{"mcp-plugin-host/unexpected":true}}`)

	begun = make(chan struct{})
	plugin.invoke(2, "tools/call", `{"name":"it"}`) // cancelled before it began
	if !strings.Contains(host.answers[2], "because the server is stopping") {
		t.Error(host.answers[2])
	}
	plugin.cancel(1, cancelClient) // of a call that has ended
}

type form struct {
	Name string `json:"name"`
}

func TestAHandlerIsRunAgainWithTheAnswers(t *testing.T) {
	setup := ofTool(func(call *Context, _ none) (string, error) {
		first, err := Elicit[form](call, "first", "Who?")
		if err != nil {
			return "", err
		}
		if first.Action != Accept {
			return first.Action, nil
		}
		roots, err := call.ListRoots("roots")
		if err != nil {
			return "", fmt.Errorf("no roots: %w", err)
		}
		return fmt.Sprint(first.Content.Name, len(roots)), nil
	})
	expect(t, called(t, setup, `{"name":"it"}`), `2 {"inputRequests":{"first":{"method":"elicitation/create","params":`+
		`{"mode":"form","message":"Who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},`+
		`"required":["name"]}}}}}`)
	const first = `"first":{"action":"accept","content":{"name":"Ada"}}`
	expect(t, called(t, setup, `{"name":"it","inputResponses":{`+first+`}}`),
		`2 {"inputRequests":{"roots":{"method":"roots/list","params":{}}}}`)
	expect(t, called(t, setup, `{"name":"it","inputResponses":{`+first+`,"roots":{"roots":[{"uri":"file:///a"}]}}}`),
		`0 {"content":[{"type":"text","text":"Ada1"}]}`)
	expect(t, called(t, setup, `{"name":"it","inputResponses":{"first":{"action":"decline"}}}`),
		`0 {"content":[{"type":"text","text":"decline"}]}`)
}

func TestAFormsDefaultsStandForWhatTheUserLeavesOut(t *testing.T) {
	type order struct {
		Size  string   `json:"size" enum:"small,large" default:"small"`
		Count int      `json:"count" default:"2"`
		With  []string `json:"with" enum:"milk,sugar" default:"[\"milk\"]"`
		Note  string   `json:"note,omitempty"`
	}
	setup := ofTool(func(call *Context, _ none) (string, error) {
		answer, err := Elicit[order](call, "order", "What?")
		if err != nil {
			return "", err
		}
		return fmt.Sprint(answer.Action, answer.Content), nil
	})
	for _, each := range []struct{ answer, want string }{
		{`"accept","content":{}`, "accept{small 2 [milk] }"},
		{`"accept","content":{"count":0,"with":[],"note":"hot"}`, "accept{small 0 [] hot}"},
		{`"decline"`, "decline{ 0 [] }"},
	} {
		expect(t, called(t, setup, `{"name":"it","inputResponses":{"order":{"action":`+each.answer+`}}}`),
			`0 {"content":[{"type":"text","text":"`+each.want+`"}]}`)
	}
}

func TestAnAnswerIsReadAsItsMembersAreSpelled(t *testing.T) {
	type order struct {
		MaxCount int    `json:"maxCount" maximum:"9"`
		Size     string `json:"size" enum:"small,large"`
	}
	setup := ofTool(func(call *Context, _ none) (string, error) {
		answer, err := Elicit[order](call, "order", "What?")
		if err != nil {
			return "", err
		}
		roots, err := call.ListRoots("roots")
		if err != nil {
			return "", err
		}
		return fmt.Sprint(answer.Content, roots[0].URI), nil
	})
	// Of encoding/json's letters that are alike some are not ASCII: s is like ſ.
	const ordered = `{"action":"accept","content":{"maxCount":1,"maxcount":1000,"size":"small","\u017fize":"huge"}}`
	const roots = `{"roots":[{"uri":"file:///a"}],"root\u017f":[{"uri":"http://a"}]}`
	expect(t, called(t, setup, `{"name":"it","inputResponses":{"order":`+ordered+`,"roots":`+roots+`}}`),
		`0 {"content":[{"type":"text","text":"{1 small}file:///a"}]}`)
}

func TestAHandlerThatDoesNotReturnWhatItWasGivenIsTold(t *testing.T) {
	for _, returned := range []error{nil, errors.New("other")} {
		answer := called(t, ofTool(func(call *Context, _ none) (string, error) {
			_, _ = call.ListRoots("roots")
			return "", returned
		}), `{"name":"it"}`)
		if !strings.Contains(answer, "The handler did not return the error") || !strings.Contains(answer, `"isError":true`) {
			t.Error(answer)
		}
	}
}

func TestAContextKnowsItsCall(t *testing.T) {
	setup := ofTool(func(call *Context, _ none) (string, error) {
		at, has := call.Deadline()
		derived := context.WithValue(call, form{}, 1)
		same := FromContext(derived) == call
		return fmt.Sprint(call.Info().ProtocolVersion, call.Info().Client.Name, call.Caller().ID, call.Caller().Roles,
			at.UnixMilli(), has, same), nil
	})
	expect(t, called(t, setup, `{"name":"it"}`),
		`0 {"content":[{"type":"text","text":"2026-07-28testerada[admin] 1700000000000 true true"}]}`)
	alone := ContextOf(context.Background())
	alone.Progress(1, 2, "")
	if _, err := alone.ListRoots("roots"); err == nil || alone.Info().Client.Name != "" {
		t.Error("a context without a host knows nobody")
	}
}

type square struct {
	N     int8   `json:"n" maximum:"100"`
	Style string `json:"style" enum:"plain,fancy" default:"plain"`
}

type bounded struct {
	Size  int     `json:"size" enum:"1,2"`
	Share float64 `json:"share" exclusiveMinimum:"0" exclusiveMaximum:"0.5" default:"0.25"`
	Word  string  `json:"word" minLength:"2" maxLength:"3" default:"ab"`
	Sure  *bool   `json:"sure"`
	Step  float32 `json:"step" multipleOf:"0.1" default:"0.1"`
}

func TestTextsThatAFieldDoesNotAllowAreRefused(t *testing.T) {
	plugin, host := served(t, func(plugin *Plugin) error {
		AddPrompt(plugin, &Prompt{Name: "p"}, func(_ *Context, in bounded) (string, error) {
			return fmt.Sprint(in.Size, in.Share, in.Word, in.Sure != nil && *in.Sure), nil
		})
		return nil
	})
	for i, each := range []struct{ arguments, want string }{
		{`"size":"2"`, `0 {"messages":[{"role":"user","content":{"type":"text","text":"2 0.25abfalse"}}]}`},
		{`"size":"2","sure":"true"`, `0 {"messages":[{"role":"user","content":{"type":"text","text":"2 0.25abtrue"}}]}`},
		{`"size":"3"`, `1 {"code":-32602,"message":"\"size\" must be one of 1, 2, but is \"3\""}`},
		{`"size":"1","share":"0"`, `1 {"code":-32602,"message":"\"share\" must be more than 0, but is \"0\""}`},
		{`"size":"1","share":"0.5"`, `1 {"code":-32602,"message":"\"share\" must be less than 0.5, but is \"0.5\""}`},
		{`"size":"1","share":"x"`, `1 {"code":-32602,"message":"\"share\" must be a number, but is \"x\""}`},
		{`"size":"1","word":"ä"`, `1 {"code":-32602,"message":"\"word\" must have at least 2 characters, but is \"ä\""}`},
		{`"size":"1","word":"abcd"`, `1 {"code":-32602,"message":"\"word\" must have at most 3 characters, but is \"abcd\""}`},
		{`"size":"1","share":"NaN"`, `1 {"code":-32602,"message":"\"share\" must be a number, but is \"NaN\""}`},
		{`"size":"1","share":"0x1p-2"`, `1 {"code":-32602,"message":"\"share\" must be a number, but is \"0x1p-2\""}`},
		{`"size":"1","share":".25"`, `1 {"code":-32602,"message":"\"share\" must be a number, but is \".25\""}`},
		{`"size":"1","share":"2.5e-1"`, `0 {"messages":[{"role":"user","content":{"type":"text","text":"1 0.25abfalse"}}]}`},
		{`"size":"1","step":"0.25"`, `1 {"code":-32602,"message":"\"step\" must be a multiple of 0.1, but is \"0.25\""}`},
		{`"size":"1","sure":"yes"`, `1 {"code":-32602,"message":"\"sure\" must be true or false, but is \"yes\""}`},
	} {
		plugin.invoke(uint64(i+1), "prompts/get", `{"name":"p","arguments":{`+each.arguments+`}}`)
		expect(t, host.answers[uint64(i+1)], each.want)
	}
}

type exact struct {
	Sum  json.Number  `json:"sum" maximum:"1e3" default:"12.50"`
	Half *json.Number `json:"half" multipleOf:"0.5"`
}

func TestANumberKeepsWhatIsWritten(t *testing.T) {
	plugin, host := served(t, func(plugin *Plugin) error {
		AddPrompt(plugin, &Prompt{Name: "p"}, func(_ *Context, in exact) (string, error) {
			if in.Half != nil {
				return in.Half.String(), nil
			}
			return in.Sum.String(), nil
		})
		return nil
	})
	const said = `0 {"messages":[{"role":"user","content":{"type":"text","text":"`
	for i, each := range []struct{ arguments, want string }{
		{``, said + `12.50"}}]}`},
		{`"sum":"-0.10"`, said + `-0.10"}}]}`},
		{`"sum":"999.99999999999999999999"`, said + `999.99999999999999999999"}}]}`},
		{`"half":"1.5e0"`, said + `1.5e0"}}]}`},
		{`"half":"1.25"`, `1 {"code":-32602,"message":"\"half\" must be a multiple of 0.5, but is \"1.25\""}`},
		{`"sum":"1000.5"`, `1 {"code":-32602,"message":"\"sum\" must be at most 1e3, but is \"1000.5\""}`},
		{`"sum":"1e9999999"`, `1 {"code":-32602,"message":"\"sum\" is too large or too small, but is \"1e9999999\""}`},
		{`"sum":"abc"`, `1 {"code":-32602,"message":"\"sum\" must be a number, but is \"abc\""}`},
		{`"sum":""`, `1 {"code":-32602,"message":"\"sum\" must be a number, but is \"\""}`},
		{`"sum":" 5"`, `1 {"code":-32602,"message":"\"sum\" must be a number, but is \" 5\""}`},
		{`"sum":"05"`, `1 {"code":-32602,"message":"\"sum\" must be a number, but is \"05\""}`},
		{`"sum":"[5]"`, `1 {"code":-32602,"message":"\"sum\" must be a number, but is \"[5]\""}`},
	} {
		plugin.invoke(uint64(i+1), "prompts/get", `{"name":"p","arguments":{`+each.arguments+`}}`)
		expect(t, host.answers[uint64(i+1)], each.want)
	}
}

func others(plugin *Plugin) error {
	AddResource(plugin, &Resource{URI: "a://one", Name: "one", MIMEType: "text/plain", TTL: time.Second},
		func(call *Context) (string, error) { return call.URI(), nil })
	AddResource(plugin, &Resource{URI: "a://bytes", Name: "bytes"},
		func(*Context) ([]byte, error) { return []byte{255}, nil })
	AddResourceTemplate(plugin, &ResourceTemplate{URITemplate: "a://squares/{n}/{style}", Name: "square"},
		func(call *Context, in square) (any, error) {
			if in.N == 0 {
				return nil, ResourceNotFoundError(call.URI())
			}
			return map[string]any{in.Style: int(in.N) * int(in.N)}, nil
		})
	AddPrompt(plugin, &Prompt{Name: "say", Description: "Says it.", Completions: map[string]Completer{
		"n": func(_ *Context, typed string, chosen map[string]string) ([]string, error) {
			return []string{typed + "1", chosen["style"]}, nil
		}}}, func(_ *Context, in square) (string, error) { return fmt.Sprint(in.N, in.Style), nil })
	return nil
}

func TestResourcesPromptsAndCompletions(t *testing.T) {
	plugin, host := served(t, others)
	for i, each := range []struct{ method, params, want string }{
		{"resources/read", `{"uri":"a://one"}`,
			`0 {"contents":[{"uri":"a://one","mimeType":"text/plain","text":"a://one"}],"ttlMs":1000,"cacheScope":"private"}`},
		{"resources/read", `{"uri":"a://bytes"}`, `0 {"contents":[{"uri":"a://bytes","blob":"/w=="}]}`},
		{"resources/read", `{"uri":"a://no"}`,
			`1 {"code":-32002,"message":"There is no resource a://no","data":{"uri":"a://no"}}`},
		{"resources/read", `{"uri":"x","uriTemplate":"a://squares/{n}/{style}","variables":{"n":"-3","style":"fancy"}}`,
			`0 {"contents":[{"uri":"x","mimeType":"application/json","text":"{\"fancy\":9}"}]}`},
		{"resources/read", `{"uri":"x","uriTemplate":"a://squares/{n}/{style}","variables":{"n":"x","style":"fancy"}}`,
			`1 {"code":-32602,"message":"\"n\" must be an integer, but is \"x\""}`},
		{"resources/read", `{"uri":"x","uriTemplate":"a://squares/{n}/{style}","variables":{"n":"+3","style":"fancy"}}`,
			`1 {"code":-32602,"message":"\"n\" must be an integer, but is \"+3\""}`},
		{"resources/read", `{"uri":"x","uriTemplate":"a://squares/{n}/{style}","variables":{"n":"300"}}`,
			`1 {"code":-32602,"message":"\"n\" is too large or too small, but is \"300\""}`},
		{"prompts/get", `{"name":"say","arguments":{"n":"7"}}`,
			`0 {"description":"Says it.","messages":[{"role":"user","content":{"type":"text","text":"7plain"}}]}`},
		{"prompts/get", `{"name":"say","arguments":{"n":"101"}}`,
			`1 {"code":-32602,"message":"\"n\" must be at most 100, but is \"101\""}`},
		{"prompts/get", `{"name":"say"}`, `1 {"code":-32602,"message":"\"n\" is missing"}`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"say"},"argument":{"name":"n","value":"2"},` +
			`"context":{"arguments":{"style":"fancy"}}}`, `0 {"completion":{"values":["21","fancy"]}}`},
		{"completion/complete", `{"ref":{"type":"ref/resource","uri":"a://squares/{n}/{style}"},` +
			`"argument":{"name":"style","value":"f"}}`, `0 {"completion":{"values":["fancy"]}}`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"say"},"argument":{"name":"style","value":"PL"}}`,
			`0 {"completion":{"values":["plain"]}}`},
		{"nonsense", `{}`, `1 {"code":-32601,"message":"Unknown method: nonsense"}`},
	} {
		plugin.invoke(uint64(i+1), each.method, each.params)
		expect(t, host.answers[uint64(i+1)], each.want)
	}
}

func TestAValueBeginsWithWhatIsTypedInEitherCase(t *testing.T) {
	for _, each := range []struct {
		value, typed string
		want         bool
	}{
		{"Österreich", "ös", true}, {"Österreich", "öst ", false}, {"5 k", "5 \u212a", true}, {"5 \u212a", "5 k", true},
		{"fancy", "", true}, {"fancy", "fancyfree", false}, {"ä", "ä", true}, {"ä", "a", false},
	} {
		if beginsWith(each.value, each.typed) != each.want {
			t.Errorf("%q begins with %q: want %v", each.value, each.typed, each.want)
		}
	}
}

type search struct {
	Text  string `json:"text"`
	Limit *int   `json:"limit"`
}

type anywhere struct {
	Path string `json:"path"`
}

type wildcard struct {
	Rest string `json:"*"`
}

func addPlace[In any](plugin *Plugin, uriTemplate string) {
	AddResourceTemplate(plugin, &ResourceTemplate{URITemplate: uriTemplate}, func(_ *Context, in In) (In, error) { return in, nil })
}

func TestTemplatesHaveTheVariablesThatTheHostMatches(t *testing.T) {
	plugin, host := served(t, func(plugin *Plugin) error {
		AddResourceTemplate(plugin, &ResourceTemplate{URITemplate: "notes://search{?text,limit}",
			Completions: map[string]Completer{"limit": func(*Context, string, map[string]string) ([]string, error) {
				return []string{"10"}, nil
			}}}, func(_ *Context, in search) (search, error) { return in, nil })
		addPlace[anywhere](plugin, "a://{path*}")
		addPlace[anywhere](plugin, "b://{+path}")
		addPlace[anywhere](plugin, "c://c{#path}")
		addPlace[wildcard](plugin, "docs://*")
		return nil
	})
	for i, each := range []struct{ method, params, want string }{
		{"resources/read", `{"uri":"x","uriTemplate":"notes://search{?text,limit}","variables":{"text":"a"}}`,
			`0 {"contents":[{"uri":"x","mimeType":"application/json","text":"{\"text\":\"a\",\"limit\":null}"}]}`},
		{"completion/complete", `{"ref":{"type":"ref/resource","uri":"notes://search{?text,limit}"},` +
			`"argument":{"name":"limit","value":"1"}}`, `0 {"completion":{"values":["10"]}}`},
		{"resources/read", `{"uri":"x","uriTemplate":"a://{path*}","variables":{"path":"b/c"}}`,
			`0 {"contents":[{"uri":"x","mimeType":"application/json","text":"{\"path\":\"b/c\"}"}]}`},
		{"resources/read", `{"uri":"x","uriTemplate":"docs://*","variables":{"*":"b/c"}}`,
			`0 {"contents":[{"uri":"x","mimeType":"application/json","text":"{\"*\":\"b/c\"}"}]}`},
	} {
		plugin.invoke(uint64(i+1), each.method, each.params)
		expect(t, host.answers[uint64(i+1)], each.want)
	}
}

func TestAContentKeepsTheTypeThatItsHandlerGaveIt(t *testing.T) {
	plugin, host := served(t, func(plugin *Plugin) error {
		AddResource(plugin, &Resource{URI: "a://own", MIMEType: "text/plain"}, func(*Context) (*ReadResourceResult, error) {
			return &ReadResourceResult{[]*ResourceContents{{Text: "# One", MIMEType: "text/markdown"}}}, nil
		})
		AddResource(plugin, &Resource{URI: "a://none", MIMEType: "text/plain"}, func(*Context) (*ReadResourceResult, error) {
			return &ReadResourceResult{[]*ResourceContents{{Text: "1"}}}, nil
		})
		AddResource(plugin, &Resource{URI: "a://json", MIMEType: "application/geo+json"},
			func(*Context) (map[string]int, error) { return map[string]int{"a": 1}, nil })
		AddResource(plugin, &Resource{URI: "a://null"}, func(*Context) (any, error) { return nil, nil })
		AddResource(plugin, &Resource{URI: "a://any"}, func(*Context) (any, error) { return []Content{&TextContent{}}, nil })
		return nil
	})
	for i, each := range []struct{ uri, want string }{
		{"a://own", `"mimeType":"text/markdown","text":"# One"`},
		{"a://none", `"mimeType":"text/plain","text":"1"`},
		{"a://json", `"mimeType":"application/geo+json","text":"{\"a\":1}"`},
		{"a://null", `"mimeType":"application/json","text":"null"`},
	} {
		plugin.invoke(uint64(i+1), "resources/read", `{"uri":"`+each.uri+`"}`)
		expect(t, host.answers[uint64(i+1)], `0 {"contents":[{"uri":"`+each.uri+`",`+each.want+`}]}`)
	}
	plugin.invoke(9, "resources/read", `{"uri":"a://any"}`)
	expect(t, host.answers[9],
		`1 {"code":-32603,"message":"its handler returns a []mcp.Content: return *mcp.ReadResourceResult"}`)
}

func TestAPluginSaysWhatItExports(t *testing.T) {
	plugin, _ := served(t, others)
	text, err := plugin.describe()
	if err != nil {
		t.Fatal(err)
	}
	expect(t, string(text), `{"tools":[],"resources":[{"uri":"a://one","name":"one","mimeType":"text/plain"},`+
		`{"uri":"a://bytes","name":"bytes"}],"resourceTemplates":[{"uriTemplate":"a://squares/{n}/{style}","name":"square"}],`+
		`"prompts":[{"name":"say","description":"Says it.","arguments":[{"name":"n","required":true},{"name":"style"}]}],`+
		`"completions":true}`)
}

func TestTimeoutsAndTagsAreForTheHost(t *testing.T) {
	meta := Meta{"own": 1}
	slow := &Tool{Name: "it", Timeout: 300 * time.Millisecond, Tags: []string{"slow", "a.B_c-9"}, Meta: meta,
		Execution: &ToolExecution{TaskSupport: "forbidden"}}
	for _, each := range []struct {
		setup func(*Plugin) error
		want  string
	}{
		{ofToolSaid(slow), `"_meta":{"mcp-plugin-host/tags":["slow","a.B_c-9"],"own":1},` +
			`"execution":{"taskSupport":"forbidden","timeoutMs":300}}]`},
		{ofToolSaid(&Tool{Name: "it", Timeout: time.Hour}), `"execution":{"timeoutMs":3600000}}]`},
		{ofToolSaid(&Tool{Name: "it", Execution: &ToolExecution{TaskSupport: "optional"}}),
			`"execution":{"taskSupport":"optional"}}]`},
		{ofToolSaid(&Tool{Name: "it"}), `"additionalProperties":false}}],"resources":[]`},
		{func(plugin *Plugin) error {
			AddPrompt(plugin, &Prompt{Name: "p", Tags: []string{"t"}}, func(*Context, none) (string, error) { return "", nil })
			return nil
		}, `"prompts":[{"name":"p","_meta":{"mcp-plugin-host/tags":["t"]}}]`},
		{func(plugin *Plugin) error {
			AddResource(plugin, &Resource{URI: "a:b", Tags: []string{"t"}}, func(*Context) (string, error) { return "", nil })
			return nil
		}, `"resources":[{"uri":"a:b","name":"","_meta":{"mcp-plugin-host/tags":["t"]}}]`},
		{func(plugin *Plugin) error {
			AddResourceTemplate(plugin, &ResourceTemplate{URITemplate: "a:b", Tags: []string{"t"}},
				func(*Context, none) (string, error) { return "", nil })
			return nil
		}, `"resourceTemplates":[{"uriTemplate":"a:b","name":"","_meta":{"mcp-plugin-host/tags":["t"]}}]`},
	} {
		plugin, _ := served(t, each.setup)
		text, err := plugin.describe()
		if err != nil || !strings.Contains(string(text), each.want) {
			t.Errorf("\n got: %s, %v\nwant: %s", text, err, each.want)
		}
	}
	if len(meta) != 1 {
		t.Errorf("the author's own Meta has been changed: %v", meta)
	}
}

func TestChangesOfComponentsAreTold(t *testing.T) {
	plugin, host := served(t, others)
	_ = returning("a")(plugin)
	plugin.RemoveResources("a://one", "a://nowhere")
	if host.changes != 2 {
		t.Errorf("told %d times", host.changes)
	}
	text, _ := plugin.describe()
	if strings.Contains(string(text), "a://one") || !strings.Contains(string(text), `"name":"it"`) {
		t.Errorf("%s", text)
	}
	_ = ofToolSaid(&Tool{Name: "it", Timeout: -time.Second})(plugin)
	if host.changes != 2 || !strings.Contains(host.said[0], `tool "it": its Timeout is -1s`) {
		t.Errorf("what is wrong later is logged: %q", host.said)
	}
}

func TestAComponentIsReplacedInItsPlace(t *testing.T) {
	plugin, host := served(t, func(plugin *Plugin) error {
		_ = others(plugin)
		return returning("a")(plugin)
	})
	before, _ := plugin.describe()
	_ = others(plugin)
	_ = returning("b")(plugin)
	after, _ := plugin.describe()
	expect(t, string(after), string(before))
	if host.changes != 5 || len(host.said) > 0 {
		t.Errorf("told %d times, and %q", host.changes, host.said)
	}
	plugin.invoke(1, "tools/call", `{"name":"it"}`)
	expect(t, host.answers[1], `0 {"content":[{"type":"text","text":"b"}]}`)
}

func TestCallsAreServedAsTheHostKnowsThePlugin(t *testing.T) {
	plugin, host := served(t, func(plugin *Plugin) error {
		_ = others(plugin)
		return returning("a")(plugin)
	})
	plugin.RemoveTools("it")
	plugin.RemoveResources("a://bytes")
	plugin.RemoveResourceTemplates("a://squares/{n}/{style}")
	plugin.RemovePrompts("say")
	calls := []struct{ method, params, before, after string }{
		{"tools/call", `{"name":"it"}`, `0 {"content":[{"type":"text","text":"a"}]}`,
			`1 {"code":-32602,"message":"Unknown tool: it"}`},
		{"resources/read", `{"uri":"a://bytes"}`, `0 {"contents":[{"uri":"a://bytes","blob":"/w=="}]}`,
			`1 {"code":-32002,"message":"There is no resource a://bytes","data":{"uri":"a://bytes"}}`},
		{"resources/read", `{"uri":"x","uriTemplate":"a://squares/{n}/{style}","variables":{"n":"3"}}`,
			`0 {"contents":[{"uri":"x","mimeType":"application/json","text":"{\"plain\":9}"}]}`,
			`1 {"code":-32002,"message":"There is no resource x","data":{"uri":"x"}}`},
		{"prompts/get", `{"name":"say","arguments":{"n":"7"}}`,
			`0 {"description":"Says it.","messages":[{"role":"user","content":{"type":"text","text":"7plain"}}]}`,
			`1 {"code":-32602,"message":"Unknown prompt: say"}`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"say"},"argument":{"name":"style","value":"p"}}`,
			`0 {"completion":{"values":["plain"]}}`,
			`1 {"code":-32602,"message":"There is no such prompt or resource template: say"}`},
	}
	for range 3 { // also when the host has read the change, once or twice: it may not have taken it, or may refuse it
		for _, each := range calls {
			plugin.invoke(1, each.method, each.params)
			expect(t, host.answers[1], each.before)
		}
		_, _ = plugin.describe()
	}
	plugin.RemoveResources("a://one")
	_, _ = plugin.describe()
	for _, each := range calls {
		plugin.invoke(1, each.method, each.params)
		expect(t, host.answers[1], each.after)
	}
}

func TestLifeAndConfiguration(t *testing.T) {
	host := &fakeHost{settings: `{"greeting":"Servus"}`}
	var order []string
	plugin, err := newPlugin(host, func(plugin *Plugin) error {
		var configuration struct{ Greeting string }
		err := plugin.Configuration(&configuration)
		plugin.OnStart(func() error { order = append(order, configuration.Greeting); return nil })
		plugin.OnStop(func() { order = append(order, "first") })
		plugin.OnStop(func() { panic("last") })
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := plugin.start(); err != nil {
		t.Fatal(err)
	}
	plugin.stop()
	expect(t, strings.Join(order, " "), "Servus first")
	if plugin.Context().Err() == nil || !strings.Contains(host.said[0], "a function of OnStop: panic: last\nmcp-plugin-host/mcp.TestLifeAndConfiguration") {
		t.Errorf("%q", host.said)
	}
	expect(t, plugin.BundleDirectory(), "/bundles/notes")
	if _, err := plugin.DataDirectory(); err == nil {
		t.Error("a data directory that cannot be made is an error")
	}
	host.settings = `[]`
	expectError(t, plugin.Configuration(&struct{}{}), "the configuration is not what it should be")
}

func TestAStartThatPanicsIsWhyThePluginIsNotServed(t *testing.T) {
	plugin, host := served(t, func(plugin *Plugin) error {
		plugin.OnStart(func() error { panic("no port") })
		return nil
	})
	expectError(t, plugin.start(), "a function of OnStart panicked: no port")
	if len(host.said) != 1 || !strings.Contains(host.said[0], "plugin_test.go") {
		t.Errorf("the log leads to the line: %q", host.said)
	}
}

func TestAChangeThatPanicsLetsOthersChange(t *testing.T) {
	plugin, host := served(t, returning("a"))
	func() {
		defer func() { _ = recover() }()
		plugin.change(func() error { panic("broken") })
	}()
	plugin.RemoveTools("it")
	if host.changes != 1 {
		t.Errorf("told %d times", host.changes)
	}
}

func TestCallsCancellationsAndChangesGoBesideOneAnother(t *testing.T) {
	plugin, host := served(t, ofTool(func(call *Context, _ none) (int, error) {
		call.Progress(1, 1, "")
		return 1, call.Err()
	}))
	var all sync.WaitGroup
	for id := uint64(1); id <= 100; id++ {
		all.Add(3)
		go func() {
			defer all.Done()
			plugin.invoke(id, "tools/call", `{"name":"it"}`)
		}()
		go func() {
			defer all.Done()
			plugin.cancel(id, cancelReload)
		}()
		go func() {
			defer all.Done()
			if id%2 == 0 {
				plugin.RemovePrompts("none")
			} else if _, err := plugin.describe(); err != nil {
				t.Error(err)
			}
		}()
	}
	all.Wait()
	if len(host.answers) != 100 {
		t.Errorf("%d calls were answered", len(host.answers))
	}
}

func TestContentsHaveTheFormsOfTheProtocol(t *testing.T) {
	half := 0.5
	for _, each := range []struct {
		content Content
		want    string
	}{
		{&TextContent{Text: "a", Annotations: &Annotations{Audience: []string{"user"}, Priority: &half}, Meta: Meta{"k": 1}},
			`{"type":"text","text":"a","annotations":{"audience":["user"],"priority":0.5},"_meta":{"k":1}}`},
		{&TextContent{Text: "a", Annotations: &Annotations{Priority: new(float64)}},
			`{"type":"text","text":"a","annotations":{"priority":0}}`},
		{&TextContent{Text: "a", Annotations: &Annotations{}}, `{"type":"text","text":"a","annotations":{}}`},
		{&AudioContent{MIMEType: "audio/wav"}, `{"type":"audio","data":"","mimeType":"audio/wav"}`},
		{&ResourceLink{URI: "a://b", Name: "b", Size: 3, Icons: []Icon{{Source: "https://example.com/b.png"}}},
			`{"type":"resource_link","uri":"a://b","name":"b","size":3,"icons":[{"src":"https://example.com/b.png"}]}`},
		{&EmbeddedResource{Resource: &ResourceContents{URI: "a://b", Blob: []byte{}}},
			`{"type":"resource","resource":{"uri":"a://b","blob":""}}`},
	} {
		text, err := marshal(each.content)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, string(text), each.want)
	}
}

func TestATemperatureOfZeroIsSaid(t *testing.T) {
	setup := ofTool(func(call *Context, _ none) (string, error) {
		_, err := call.CreateMessage("fact", &CreateMessageParams{Messages: []*PromptMessage{UserMessage("A fact")},
			MaxTokens: 20, Temperature: new(float64)})
		return "", err
	})
	expect(t, called(t, setup, `{"name":"it"}`), `2 {"inputRequests":{"fact":{"method":"sampling/createMessage","params":`+
		`{"messages":[{"role":"user","content":{"type":"text","text":"A fact"}}],"maxTokens":20,"temperature":0}}}}`)
}

func TestTheClientsModelAndPagesAreAsked(t *testing.T) {
	setup := ofTool(func(call *Context, _ none) (string, error) {
		action, err := call.ElicitURL("page", "Sign in", "https://example.com/sign-in")
		if err != nil {
			return "", err
		}
		said, err := call.CreateMessage("poem", &CreateMessageParams{Messages: []*PromptMessage{UserMessage("A line")},
			MaxTokens: 20})
		if err != nil {
			return "", err
		}
		return action + ": " + said.Text(), nil
	})
	expect(t, called(t, setup, `{"name":"it"}`), `2 {"inputRequests":{"page":{"method":"elicitation/create","params":`+
		`{"mode":"url","message":"Sign in","url":"https://example.com/sign-in"}}}}`)
	const page = `{"name":"it","inputResponses":{"page":{"action":"accept"}`
	expect(t, called(t, setup, page+`}}`), `2 {"inputRequests":{"poem":{"method":"sampling/createMessage","params":`+
		`{"messages":[{"role":"user","content":{"type":"text","text":"A line"}}],"maxTokens":20}}}}`)
	for content, want := range map[string]string{
		`{"type":"text","text":"Roses"}`: "accept: Roses",
		`[{"type":"text","text":"Roses"},{"type":"image"},{"type":"text","text":"are"}]`: `accept: Roses\nare`,
	} {
		expect(t, called(t, setup, page+`,"poem":{"role":"assistant","content":`+content+`}}}`),
			`0 {"content":[{"type":"text","text":"`+want+`"}]}`)
	}
}
