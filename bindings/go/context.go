package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"
)

// Level is a severity of the log, those of RFC 5424 in MCP's order.
type Level int32

const (
	LevelDebug Level = iota
	LevelInfo
	LevelNotice
	LevelWarning
	LevelError
	LevelCritical
	LevelAlert
	LevelEmergency
)

// Why a call should end early: context.Cause of its Context.
var (
	ErrCancelledByClient = errors.New("the call was cancelled by the client")
	ErrDeadline          = errors.New("the call was cancelled, because it took too long")
	ErrShutdown          = errors.New("the call was cancelled, because the server is stopping")
	ErrReload            = errors.New("the call was cancelled, because the plugin was replaced or removed")
)

func causeOf(reason int32) error {
	switch reason {
	case cancelDeadline:
		return ErrDeadline
	case cancelShutdown:
		return ErrShutdown
	case cancelReload:
		return ErrReload
	}
	return ErrCancelledByClient
}

// Context is what a handler knows of its call. It is done when the call should end early, with one of the errors above
// as its cause, and when the handler has returned. Its methods may be called on any goroutine until then.
type Context struct {
	context.Context
	host  host // nil for a call that no host makes
	id    uint64
	uri   string
	info  func() *CallInfo
	input inputs
}

// ContextOf is a context for a call of a handler in an author's tests, without a host: nobody is told of progress or can
// be asked.
func ContextOf(parent context.Context) *Context {
	return &Context{Context: parent, info: func() *CallInfo { return &CallInfo{} }}
}

type contextKey struct{}

// FromContext finds the Context that the given one was derived from, or nil.
func FromContext(derived context.Context) *Context {
	found, _ := derived.Value(contextKey{}).(*Context)
	return found
}

// Value is that of the standard library's context.
func (c *Context) Value(key any) any {
	if key == (contextKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// Deadline is when the host will cancel the call.
func (c *Context) Deadline() (time.Time, bool) {
	if at := c.info().Deadline; at != 0 {
		return time.UnixMilli(at), true
	}
	return c.Context.Deadline()
}

// URI is what is read, for the handler of a resource.
func (c *Context) URI() string { return c.uri }

// Progress tells how far the call is. progress must grow; total is 0 if it is unknown, and the message may be empty.
func (c *Context) Progress(progress, total float64, message string) {
	if c.host != nil {
		c.host.progress(c.id, progress, total, message)
	}
}

// Log writes to the host's log, under the plugin's name, and to the client if it wants to hear of it.
func (c *Context) Log(level Level, message string) {
	if c.host != nil {
		c.host.log(c.id, level, message)
	}
}

// CallInfo is what is known of a call. What a client says of itself is not proven.
type CallInfo struct {
	ProtocolVersion    string                     `json:"protocolVersion"`
	Client             ClientInfo                 `json:"client"`
	ClientCapabilities map[string]json.RawMessage `json:"clientCapabilities"`
	Deadline           int64                      `json:"deadline"` // Unix time in milliseconds, or 0
	Trace              *TraceContext              `json:"trace"`    // nil if the client sent none
	Meta               map[string]json.RawMessage `json:"meta"`     // the request's _meta
}

// ClientInfo is the client's program.
type ClientInfo struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version"`
}

// TraceContext are the headers of W3C Trace Context and Baggage, to be passed on.
type TraceContext struct {
	Traceparent string `json:"traceparent"`
	Tracestate  string `json:"tracestate"`
	Baggage     string `json:"baggage"`
}

// Info asks the host, once for a call.
func (c *Context) Info() *CallInfo { return c.info() }

// Principal is whom the host has found to be calling. An empty ID means that nobody has proven who they are.
type Principal struct {
	ID      string   `json:"id"`
	Subject string   `json:"subject"`
	Name    string   `json:"name"`
	Email   string   `json:"email"`
	Groups  []string `json:"groups"`
	Roles   []string `json:"roles"`
	Scopes  []string `json:"scopes"`
}

// Caller asks the host who calls.
func (c *Context) Caller() Principal {
	var answer struct {
		Principal Principal `json:"principal"`
	}
	if c.host != nil {
		// What a host of another version says otherwise leaves the fields empty.
		_ = json.Unmarshal([]byte(c.host.caller(c.id)), &answer)
	}
	return answer.Principal
}

// calls are those in flight, through which the host's cancellation finds them.
type calls struct {
	mutex sync.Mutex
	byID  map[uint64]context.CancelCauseFunc
}

func (c *calls) add(id uint64, cancel context.CancelCauseFunc) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.byID == nil {
		c.byID = map[uint64]context.CancelCauseFunc{}
	}
	c.byID[id] = cancel
}

func (c *calls) remove(id uint64) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	delete(c.byID, id)
}

func (p *Plugin) cancel(id uint64, reason int32) {
	p.calls.mutex.Lock()
	cancel := p.calls.byID[id]
	p.calls.mutex.Unlock()
	if cancel != nil {
		cancel(causeOf(reason))
	}
}

// begin makes the context of a call, and end what is called after its handler.
func (p *Plugin) begin(id uint64) (call *Context, end func()) {
	inner, cancel := context.WithCancelCause(p.context)
	call = &Context{Context: inner, host: p.host, id: id}
	call.info = sync.OnceValue(func() *CallInfo {
		info := &CallInfo{}
		_ = json.Unmarshal([]byte(p.host.callContext(id)), info)
		return info
	})
	p.calls.add(id, cancel)
	// The host may have cancelled it before it could be found.
	if reason := p.host.isCancelled(id); reason != cancelNone {
		cancel(causeOf(reason))
	}
	return call, func() {
		p.calls.remove(id)
		cancel(nil)
	}
}
