package mcp

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Resource is what clients are told of a resource.
type Resource struct {
	URI         string        `json:"uri"`
	Name        string        `json:"name"`
	Title       string        `json:"title,omitempty"`
	Description string        `json:"description,omitempty"`
	MIMEType    string        `json:"mimeType,omitempty"`
	Size        int64         `json:"size,omitempty"`
	Annotations *Annotations  `json:"annotations,omitempty"`
	Icons       []Icon        `json:"icons,omitempty"`
	Meta        Meta          `json:"_meta,omitempty"`
	Tags        []string      `json:"-"`
	TTL         time.Duration `json:"-"` // for how long clients may keep what they have read
	Public      bool          `json:"-"` // with TTL: for other users, too
}

// ResourceTemplate is what clients are told of resources whose URIs have something in common: {name} matches a segment,
// {+path}, {path*} and * any number of them, {#part} what follows a #, and {?text,limit} at the end a query, whose
// parameters a URI need not have: make them pointers, or give them a default.
type ResourceTemplate struct {
	URITemplate string               `json:"uriTemplate"`
	Name        string               `json:"name"`
	Title       string               `json:"title,omitempty"`
	Description string               `json:"description,omitempty"`
	MIMEType    string               `json:"mimeType,omitempty"`
	Annotations *Annotations         `json:"annotations,omitempty"`
	Icons       []Icon               `json:"icons,omitempty"`
	Meta        Meta                 `json:"_meta,omitempty"`
	Tags        []string             `json:"-"`
	TTL         time.Duration        `json:"-"`
	Public      bool                 `json:"-"`
	Completions map[string]Completer `json:"-"` // by variable
}

// ReadResourceResult is complete control of what a read answers.
type ReadResourceResult struct {
	Contents []*ResourceContents
}

type resourceRecord struct {
	text        json.RawMessage
	mimeType    string
	ttl         time.Duration
	public      bool
	run         func(call *Context, variables map[string]string) (*ReadResourceResult, error)
	completions completions
}

func (r *resourceRecord) description() json.RawMessage { return r.text }

// AddResource adds a resource. Out is a string; bytes; *ReadResourceResult; or anything else that has a form in JSON,
// but no content of MCP's.
func AddResource[Out any](plugin *Plugin, resource *Resource, handler func(*Context) (Out, error)) {
	plugin.change(func() error {
		text, err := resourceText(*resource)
		if err != nil {
			return fmt.Errorf("resource %q: %w", resource.URI, err)
		}
		if err := requireNoContents(reflect.TypeFor[Out]()); err != nil {
			return fmt.Errorf("resource %q: %w", resource.URI, err)
		}
		record := &resourceRecord{text: text, mimeType: resource.MIMEType, ttl: resource.TTL, public: resource.Public}
		record.run = func(call *Context, _ map[string]string) (*ReadResourceResult, error) {
			out, err := handler(call)
			if err != nil {
				return nil, err
			}
			return readResult(out, record.mimeType)
		}
		if !plugin.resources.add(resource.URI, record, plugin.served) {
			return fmt.Errorf("resource %q is there already", resource.URI)
		}
		return nil
	})
}

func resourceText(resource Resource) (json.RawMessage, error) {
	if strings.ContainsAny(resource.URI, "*{") {
		return nil, errors.New("a URI with * or {} stands for many resources: use AddResourceTemplate")
	}
	var err error
	if resource.Meta, err = withTags(resource.Meta, resource.Tags); err != nil {
		return nil, err
	}
	return marshal(resource)
}

// AddResourceTemplate adds resources. In is a struct whose fields are the variables, decoded, or a map[string]string; a
// text that a field does not allow is an error of the read. The whole URI is that of the context.
func AddResourceTemplate[In, Out any](plugin *Plugin, template *ResourceTemplate,
	handler func(*Context, In) (Out, error)) {
	plugin.change(func() error {
		record, err := templateRecord(*template, reflect.TypeFor[In]())
		if err != nil {
			return fmt.Errorf("resource template %q: %w", template.URITemplate, err)
		}
		if err := requireNoContents(reflect.TypeFor[Out]()); err != nil {
			return fmt.Errorf("resource template %q: %w", template.URITemplate, err)
		}
		variables := record.completions.of
		record.run = func(call *Context, given map[string]string) (*ReadResourceResult, error) {
			var in In
			if err := variables.read(given, reflect.ValueOf(&in).Elem()); err != nil {
				return nil, err
			}
			out, err := handler(call, in)
			if err != nil {
				return nil, err
			}
			return readResult(out, record.mimeType)
		}
		if !plugin.templates.add(template.URITemplate, record, plugin.served) {
			return fmt.Errorf("resource template %q is there already", template.URITemplate)
		}
		return nil
	})
}

func templateRecord(template ResourceTemplate, in reflect.Type) (*resourceRecord, error) {
	variables, err := textsOf(in)
	if err != nil {
		return nil, err
	}
	names := variablesOf(template.URITemplate)
	for _, each := range variables.fields {
		if !slices.Contains(names, each.name) {
			return nil, fmt.Errorf("it has no variable %q", each.name)
		}
	}
	for name := range template.Completions {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("it has no variable %q to complete", name)
		}
	}
	if template.Meta, err = withTags(template.Meta, template.Tags); err != nil {
		return nil, err
	}
	text, err := marshal(template)
	return &resourceRecord{text: text, mimeType: template.MIMEType, ttl: template.TTL, public: template.Public,
		completions: completions{of: variables, by: template.Completions}}, err
}

// expressions are what a template has in place of text, and the names in one. What no host matches a host refuses.
var expressions = regexp.MustCompile(`\*|\{[+#?/]?([^}]*?)\*?\}`)

func variablesOf(uriTemplate string) []string {
	var names []string
	for _, each := range expressions.FindAllStringSubmatch(uriTemplate, -1) {
		names = append(names, strings.Split(cmp.Or(each[1], each[0]), ",")...) // * is its own name
	}
	return names
}

// requireNoContents refuses what would be read as the JSON of MCP's own types.
func requireNoContents(out reflect.Type) error {
	each := out
	if each.Kind() == reflect.Slice {
		each = each.Elem()
	}
	if each.Kind() == reflect.Pointer {
		each = each.Elem()
	}
	isContents := each == reflect.TypeFor[ResourceContents]() || each == reflect.TypeFor[ReadResourceResult]()
	if out != reflect.TypeFor[*ReadResourceResult]() && (isContents || implements(each, contentType)) {
		return fmt.Errorf("its handler returns a %s: return *mcp.ReadResourceResult", out)
	}
	return nil
}

func readResult(out any, mimeType string) (*ReadResourceResult, error) {
	switch out := out.(type) {
	case *ReadResourceResult:
		if out == nil {
			return &ReadResourceResult{}, nil
		}
		return out, nil
	case string:
		return &ReadResourceResult{[]*ResourceContents{{Text: out}}}, nil
	case []byte:
		return &ReadResourceResult{[]*ResourceContents{{Blob: bytesOf(out)}}}, nil
	}
	// What is in an any has its type only now.
	if out != nil {
		if err := requireNoContents(reflect.TypeOf(out)); err != nil {
			return nil, err
		}
	}
	text, err := marshal(out)
	if err != nil {
		return nil, err
	}
	return &ReadResourceResult{[]*ResourceContents{{Text: string(text), MIMEType: cmp.Or(mimeType, "application/json")}}}, nil
}

// answer is the result of a read, with what the contents do not say themselves.
func (r *resourceRecord) answer(uri string, result *ReadResourceResult) object {
	contents := []*ResourceContents{}
	for _, each := range result.Contents {
		whole := *each
		if whole.URI == "" {
			whole.URI = uri
		}
		if whole.MIMEType == "" {
			whole.MIMEType = r.mimeType
		}
		contents = append(contents, &whole)
	}
	answer := object{{"contents", contents}}
	if r.ttl > 0 {
		scope := "private"
		if r.public {
			scope = "public"
		}
		answer = append(answer, member{"ttlMs", r.ttl.Milliseconds()}, member{"cacheScope", scope})
	}
	return answer
}
