package mcp

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Prompts' arguments and the variables of a URI template are texts. A handler takes them as the fields of a struct, or as
// a map[string]string.

type texts struct {
	of     reflect.Type
	fields []textField
}

type textField struct {
	field
	schema object
}

func textsOf(of reflect.Type) (*texts, error) {
	if of == reflect.TypeFor[map[string]string]() {
		return &texts{of: of}, nil
	}
	if of.Kind() != reflect.Struct {
		return nil, fmt.Errorf("its handler takes a %s: make it a struct, or a map[string]string", of)
	}
	fields, err := fieldsOf(of)
	if err != nil {
		return nil, err
	}
	all := &texts{of: of}
	for _, each := range fields {
		schema, err := fieldSchema(each, &schemaPlace{use: forInput, pointer: "#"})
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", each.name, err)
		}
		if !canBeRead(each.of, schema) {
			return nil, fmt.Errorf("field %q: a %s cannot be read from a text: make it a number, a bool, a string, or a type "+
				"with MarshalText and UnmarshalText", each.name, each.of)
		}
		if _, has := each.tag.Lookup("pattern"); has {
			return nil, fmt.Errorf("field %q: a pattern is only checked of a tool's arguments: check it in the handler", each.name)
		}
		all.fields = append(all.fields, textField{each, schema})
	}
	return all, nil
}

// canBeRead says whether readText can set a field of that type.
func canBeRead(of reflect.Type, schema object) bool {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch schema.find("type") {
	case "integer", "number", "boolean":
		return true
	case "string":
		return of.Kind() == reflect.String || reflect.PointerTo(of).Implements(textUnmarshalerType)
	}
	return false
}

// read puts the texts into a value of the type.
func (t *texts) read(given map[string]string, into reflect.Value) error {
	if t.fields == nil && into.Kind() == reflect.Map {
		if given == nil {
			given = map[string]string{}
		}
		into.Set(reflect.ValueOf(given))
		return nil
	}
	for _, each := range t.fields {
		text, has := given[each.name]
		if !has {
			if text, has = each.tag.Lookup("default"); !has {
				if each.isRequired(forInput) {
					return invalidParams(fmt.Sprintf("%q is missing", each.name))
				}
				continue
			}
		}
		value, err := readText(text, into.FieldByIndex(each.index))
		if err == nil {
			if why := refusal(each.schema, value); why != "" {
				err = fmt.Errorf("%s", why)
			}
		}
		if err != nil {
			return invalidParams(fmt.Sprintf("%q %v, but is %q", each.name, err, text))
		}
	}
	return nil
}

// readText sets the field, and returns the value as a schema knows it.
func readText(text string, into reflect.Value) (any, error) {
	for into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	if reader, is := into.Addr().Interface().(encoding.TextUnmarshaler); is {
		if err := reader.UnmarshalText([]byte(text)); err != nil {
			return nil, fmt.Errorf("cannot be read: %w", err)
		}
		return text, nil
	}
	bits := 0
	if into.Kind() >= reflect.Int && into.Kind() <= reflect.Float64 {
		bits = into.Type().Bits()
	}
	switch {
	case into.Type() == numberType:
		into.SetString(text)
		return json.Number(text), orMustBe("a number", asNumber(text))
	case into.Kind() == reflect.String:
		into.SetString(text)
		return text, nil
	case into.CanInt():
		value, err := strconv.ParseInt(text, 10, bits)
		into.SetInt(value)
		return value, orMustBe("an integer", onlySpelling(text, strconv.FormatInt(value, 10), err))
	case into.CanUint():
		value, err := strconv.ParseUint(text, 10, bits)
		into.SetUint(value)
		return value, orMustBe("a positive integer", onlySpelling(text, strconv.FormatUint(value, 10), err))
	case into.CanFloat():
		value, err := strconv.ParseFloat(text, bits)
		into.SetFloat(value)
		exact, _ := strconv.ParseFloat(text, 64) // the schema's numbers are not rounded to 32 bits
		if err == nil && !json.Valid([]byte(text)) {
			err = strconv.ErrSyntax // NaN and Inf, which no bound holds, and 0x1p4: JSON has none of them
		}
		return exact, orMustBe("a number", err)
	default:
		into.SetBool(text == "true")
		if text != "true" && text != "false" {
			return nil, fmt.Errorf("must be true or false")
		}
		return into.Bool(), nil
	}
}

// A json.Number keeps what is written, which is a number of JSON and one whose bounds can be checked.
func asNumber(text string) error {
	given := json.Number(text)
	switch value, err := parseJSON(text); {
	case err != nil || value != given: // also of what has spaces around it
		return strconv.ErrSyntax
	case number(given) == nil:
		return strconv.ErrRange
	}
	return nil
}

// A whole number has one spelling, so that what a rule says of one URI is not passed by another one.
func onlySpelling(text, spelling string, err error) error {
	if err == nil && text != spelling {
		return strconv.ErrSyntax
	}
	return err
}

func orMustBe(what string, err error) error {
	if err == nil {
		return nil
	}
	if strings.Contains(err.Error(), strconv.ErrRange.Error()) {
		return fmt.Errorf("is too large or too small")
	}
	return fmt.Errorf("must be %s", what)
}

// choices are what the enum of a field allows, as texts.
func (t *texts) choices(name string) []string {
	var all []string
	for _, each := range t.fields {
		values, _ := each.schema.find("enum").([]any)
		for _, value := range values {
			if each.name == name {
				all = append(all, fmt.Sprint(value))
			}
		}
	}
	return all
}

func parseTexts(text json.RawMessage) (map[string]string, error) {
	given := map[string]string{}
	if len(text) == 0 {
		return given, nil
	}
	if err := json.Unmarshal(text, &given); err != nil {
		return nil, invalidParams("the arguments are not texts: " + err.Error())
	}
	return given, nil
}
