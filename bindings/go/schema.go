package mcp

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// JSON Schema (2020-12) of Go types. What is said of arguments is what a caller must do; what is said of results is what
// it can rely on; and a form is a flat object for which every client has fields.
type schemaUse int

const (
	forInput schemaUse = iota
	forOutput
	forForm
)

// schemaPlace is where in the whole document a schema is written, from the inside out. A type that contains itself
// becomes a "$ref" to the place where it began.
type schemaPlace struct {
	use     schemaUse
	parent  *schemaPlace
	pointer string
	of      reflect.Type
}

func (p *schemaPlace) below(steps ...string) *schemaPlace {
	pointer := p.pointer
	for _, step := range steps {
		pointer += "/" + uriFragment(strings.NewReplacer("~", "~0", "/", "~1").Replace(step))
	}
	return &schemaPlace{use: p.use, parent: p, pointer: pointer}
}

// holding is the place of a type that may contain itself.
func (p *schemaPlace) holding(t reflect.Type) *schemaPlace {
	here := *p
	here.of = t
	return &here
}

func uriFragment(text string) string {
	var fragment strings.Builder
	for _, c := range []byte(text) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			fragment.WriteByte(c)
		} else {
			fmt.Fprintf(&fragment, "%%%02X", c)
		}
	}
	return fragment.String()
}

var (
	timeType            = reflect.TypeFor[time.Time]()
	rawMessageType      = reflect.TypeFor[json.RawMessage]()
	numberType          = reflect.TypeFor[json.Number]()
	marshalerType       = reflect.TypeFor[json.Marshaler]()
	textMarshalerType   = reflect.TypeFor[encoding.TextMarshaler]()
	textUnmarshalerType = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func typed(name string) object { return object{{"type", name}} }

// nullable is the schema that allows null, too.
func nullable(schema object) object {
	if len(schema) == 0 {
		return schema
	}
	name, isOne := schema.find("type").(string)
	if !isOne || schema.find("enum") != nil {
		return object{{"anyOf", []any{schema, typed("null")}}}
	}
	schema.set("type", []string{name, "null"})
	return schema
}

func implements(t, what reflect.Type) bool {
	return t.Implements(what) || reflect.PointerTo(t).Implements(what)
}

func schemaOf(t reflect.Type, place *schemaPlace) (object, error) {
	for outer := place.parent; outer != nil; outer = outer.parent {
		if outer.of == t {
			return object{{"$ref", outer.pointer}}, nil
		}
	}
	switch {
	case t == timeType:
		return object{{"type", "string"}, {"format", "date-time"}}, nil
	case t == rawMessageType:
		return object{}, nil
	case t == numberType:
		return typed("number"), nil
	case implements(t, marshalerType):
		return object{}, nil
	case implements(t, textMarshalerType):
		return typed("string"), nil
	}
	switch t.Kind() {
	case reflect.Bool:
		return typed("boolean"), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return integerSchema(t), nil
	case reflect.Float32, reflect.Float64:
		return typed("number"), nil
	case reflect.String:
		return typed("string"), nil
	case reflect.Interface:
		return object{}, nil
	case reflect.Pointer:
		return schemaOf(t.Elem(), place)
	case reflect.Slice, reflect.Array:
		return listSchema(t, place)
	case reflect.Map:
		return mapSchema(t, place)
	case reflect.Struct:
		return structSchema(t, place)
	}
	return nil, fmt.Errorf("%s has no form in JSON: use numbers, strings, bools, slices, maps and structs of those", t)
}

// The bounds of wider types would only be noise to a model; reading refuses what does not fit.
func integerSchema(t reflect.Type) object {
	schema := typed("integer")
	isSigned := t.Kind() <= reflect.Int64
	switch bits := t.Bits(); {
	case bits <= 16 && isSigned:
		return append(schema, member{"minimum", -1 << (bits - 1)}, member{"maximum", 1<<(bits-1) - 1})
	case bits <= 16:
		return append(schema, member{"minimum", 0}, member{"maximum", 1<<bits - 1})
	case !isSigned:
		return append(schema, member{"minimum", 0})
	}
	return schema
}

// isBytes says whether encoding/json writes a text for the list: not where its bytes say themselves how they are written.
func isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 &&
		!implements(t.Elem(), marshalerType) && !implements(t.Elem(), textMarshalerType)
}

func listSchema(t reflect.Type, place *schemaPlace) (object, error) {
	if isBytes(t) {
		return object{{"type", "string"}, {"contentEncoding", "base64"}}, nil
	}
	items, err := elementSchema(t.Elem(), place.holding(t).below("items"))
	if err != nil {
		return nil, err
	}
	schema := object{{"type", "array"}, {"items", items}}
	if t.Kind() == reflect.Array {
		schema = append(schema, member{"minItems", t.Len()}, member{"maxItems", t.Len()})
	}
	return schema, nil
}

// elementSchema is of what a list or a map holds.
func elementSchema(t reflect.Type, place *schemaPlace) (object, error) {
	schema, err := schemaOf(t, place)
	if err == nil && place.use == forOutput && canBeNil(t) {
		schema = nullable(schema)
	}
	return schema, err
}

// canBeNil says whether encoding/json may write null. Of an interface the schema allows anything.
func canBeNil(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map
}

func mapSchema(t reflect.Type, place *schemaPlace) (object, error) {
	switch key := t.Key(); {
	case key.Kind() == reflect.String, key.Implements(textMarshalerType):
	case key.Kind() >= reflect.Int && key.Kind() <= reflect.Uint64:
	default:
		return nil, fmt.Errorf("%s has no form in JSON: use a map by strings", t)
	}
	values, err := elementSchema(t.Elem(), place.holding(t).below("additionalProperties"))
	if err != nil {
		return nil, err
	}
	schema := typed("object")
	if len(values) > 0 {
		schema = append(schema, member{"additionalProperties", values})
	}
	return schema, nil
}

func structSchema(t reflect.Type, place *schemaPlace) (object, error) {
	fields, err := fieldsOf(t)
	if err != nil {
		return nil, err
	}
	here := place.holding(t)
	properties := object{}
	var required []string
	for _, field := range fields {
		property, err := fieldSchema(field, here.below("properties", field.name))
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", field.name, err)
		}
		properties = append(properties, member{field.name, property})
		if field.isRequired(place.use) {
			required = append(required, field.name)
		}
	}
	schema := object{{"type", "object"}, {"properties", properties}}
	if len(required) > 0 {
		schema = append(schema, member{"required", required})
	}
	// A misspelt argument is a mistake to tell the model about; a result may grow.
	if place.use == forInput {
		schema = append(schema, member{"additionalProperties", false})
	}
	return schema, nil
}

func fieldSchema(field field, place *schemaPlace) (object, error) {
	schema, err := schemaOf(field.of, place)
	if err != nil {
		return nil, err
	}
	if schema, err = withKeywords(schema, field); err != nil {
		return nil, err
	}
	if place.use == forForm && !isFormValue(schema) {
		return nil, fmt.Errorf("a field of a form is a number, a string, a bool, or a slice of strings with an enum")
	}
	if place.use == forOutput && !field.omitsNil && canBeNil(field.of) {
		schema = nullable(schema)
	}
	return schema, nil
}

func isFormValue(schema object) bool {
	switch schema.find("type") {
	case "integer", "number", "string", "boolean":
		return true
	case "array":
		items, _ := schema.find("items").(object)
		return items.find("type") == "string" && items.find("enum") != nil
	}
	return false
}

// field is a member of a struct as encoding/json sees it.
type field struct {
	name       string
	of         reflect.Type
	tag        reflect.StructTag
	index      []int
	isOptional bool // left out where it is empty
	omitsNil   bool // by every encoding/json; that of Go 1.23 writes null for what is omitzero
}

func (f field) isRequired(use schemaUse) bool {
	if use == forOutput {
		return !f.isOptional
	}
	_, hasDefault := f.tag.Lookup("default")
	return !f.isOptional && !hasDefault && f.of.Kind() != reflect.Pointer
}

func fieldsOf(t reflect.Type) ([]field, error) {
	fields, err := appendFields(nil, t, nil)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, each := range fields {
		if seen[each.name] {
			return nil, fmt.Errorf("two fields of %s are named %q", t, each.name)
		}
		seen[each.name] = true
	}
	return fields, nil
}

func appendFields(fields []field, t reflect.Type, index []int) ([]field, error) {
	for i := range t.NumField() {
		each := t.Field(i)
		tag := each.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		here := append(append([]int{}, index...), i)
		switch {
		case tag == "-":
		case each.Anonymous && name == "" && each.Type.Kind() == reflect.Struct:
			var err error
			if fields, err = appendFields(fields, each.Type, here); err != nil {
				return nil, err
			}
		case each.Anonymous && name == "" && each.Type.Kind() == reflect.Pointer:
			return nil, fmt.Errorf("%s embeds %s: embed the struct itself", t, each.Type)
		case each.IsExported():
			if name == "" {
				name = each.Name
			}
			options = "," + options + ","
			if strings.Contains(options, ",string,") {
				return nil, fmt.Errorf("field %q: the option \"string\" has no schema: make it a string", name)
			}
			omitsEmpty := strings.Contains(options, ",omitempty,")
			fields = append(fields, field{name: name, of: each.Type, tag: each.Tag, index: here,
				isOptional: omitsEmpty || strings.Contains(options, ",omitzero,"), omitsNil: omitsEmpty})
		}
	}
	return fields, nil
}

// isText says whether a value of the type is read from a text as it stands, or by JSON.
func isText(t reflect.Type) bool {
	return t.Kind() == reflect.String && t != numberType || t == timeType || implements(t, textUnmarshalerType)
}

func parseInteger(text string) (any, error) { return strconv.ParseUint(text, 10, 31) }
