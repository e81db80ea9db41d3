package mcp

import "encoding/json"

// Meta is what may be attached to nearly everything.
type Meta map[string]any

// Annotations say for whom something is, and how important.
type Annotations struct {
	Audience     []string `json:"audience,omitempty"` // "user", "assistant"
	LastModified string   `json:"lastModified,omitempty"`
	Priority     *float64 `json:"priority,omitempty"` // from 0 to 1; nil: nothing is said
}

// Icon is a picture for people's lists.
type Icon struct {
	Source   string   `json:"src"`
	MIMEType string   `json:"mimeType,omitempty"`
	Sizes    []string `json:"sizes,omitempty"`
}

// Content is a block of a tool's result or of a prompt's message: *TextContent, *ImageContent, *AudioContent,
// *ResourceLink or *EmbeddedResource.
type Content interface {
	json.Marshaler
	isContent()
}

// TextContent is text.
type TextContent struct {
	Text        string
	Annotations *Annotations
	Meta        Meta
}

// ImageContent is a picture.
type ImageContent struct {
	Data        []byte
	MIMEType    string
	Annotations *Annotations
	Meta        Meta
}

// AudioContent is a sound.
type AudioContent struct {
	Data        []byte
	MIMEType    string
	Annotations *Annotations
	Meta        Meta
}

// ResourceLink names a resource that the client may read.
type ResourceLink struct {
	URI         string
	Name        string
	Title       string
	Description string
	MIMEType    string
	Size        int64
	Icons       []Icon
	Annotations *Annotations
	Meta        Meta
}

// EmbeddedResource has a resource's contents in it.
type EmbeddedResource struct {
	Resource    *ResourceContents
	Annotations *Annotations
	Meta        Meta
}

// ResourceContents is a text or, if Blob is not nil, bytes. Its URI and its type are those of the resource that is read,
// where they are empty.
type ResourceContents struct {
	URI      string
	MIMEType string
	Text     string
	Blob     []byte
	Meta     Meta
}

func (*TextContent) isContent()      {}
func (*ImageContent) isContent()     {}
func (*AudioContent) isContent()     {}
func (*ResourceLink) isContent()     {}
func (*EmbeddedResource) isContent() {}

// block is a content of that type, and what all types end with.
func block(kind string, members object, annotations *Annotations, meta Meta) ([]byte, error) {
	all := append(object{{"type", kind}}, members...)
	if annotations != nil {
		all = append(all, member{"annotations", annotations})
	}
	if meta != nil {
		all = append(all, member{"_meta", meta})
	}
	return marshal(all)
}

// bytesOf is never null.
func bytesOf(data []byte) []byte { return append([]byte{}, data...) }

func (o *object) setIf(name, text string) {
	if text != "" {
		o.set(name, text)
	}
}

// MarshalJSON writes MCP's form, as those of the other types do.
func (c *TextContent) MarshalJSON() ([]byte, error) {
	return block("text", object{{"text", c.Text}}, c.Annotations, c.Meta)
}

func (c *ImageContent) MarshalJSON() ([]byte, error) {
	return block("image", object{{"data", bytesOf(c.Data)}, {"mimeType", c.MIMEType}}, c.Annotations, c.Meta)
}

func (c *AudioContent) MarshalJSON() ([]byte, error) {
	return block("audio", object{{"data", bytesOf(c.Data)}, {"mimeType", c.MIMEType}}, c.Annotations, c.Meta)
}

func (c *ResourceLink) MarshalJSON() ([]byte, error) {
	members := object{{"uri", c.URI}, {"name", c.Name}}
	members.setIf("title", c.Title)
	members.setIf("description", c.Description)
	members.setIf("mimeType", c.MIMEType)
	if c.Size > 0 {
		members.set("size", c.Size)
	}
	if c.Icons != nil {
		members.set("icons", c.Icons)
	}
	return block("resource_link", members, c.Annotations, c.Meta)
}

func (c *EmbeddedResource) MarshalJSON() ([]byte, error) {
	return block("resource", object{{"resource", c.Resource}}, c.Annotations, c.Meta)
}

func (c *ResourceContents) MarshalJSON() ([]byte, error) {
	members := object{{"uri", c.URI}}
	members.setIf("mimeType", c.MIMEType)
	if c.Blob != nil {
		members.set("blob", c.Blob)
	} else {
		members.set("text", c.Text)
	}
	if c.Meta != nil {
		members.set("_meta", c.Meta)
	}
	return marshal(members)
}
