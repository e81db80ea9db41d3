package mcp

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// The tags of a field that are keywords of JSON Schema, beside jsonschema, which is its description.
//
//	Width int `json:"width" jsonschema:"In pixels" minimum:"1" maximum:"2000" default:"600"`

// ofKinds are the types of JSON that a keyword is for; those of all go with every one.
const ofNumbers, ofTexts, ofLists, ofAll = "integer number", "string", "array", ""

var keywords = []struct{ name, kinds string }{
	{"title", ofAll},
	{"enum", ofNumbers + " " + ofTexts + " " + ofLists},
	{"minimum", ofNumbers}, {"maximum", ofNumbers},
	{"exclusiveMinimum", ofNumbers}, {"exclusiveMaximum", ofNumbers}, {"multipleOf", ofNumbers},
	{"minLength", ofTexts}, {"maxLength", ofTexts}, {"pattern", ofTexts}, {"format", ofTexts},
	{"minItems", ofLists}, {"maxItems", ofLists}, {"uniqueItems", ofLists},
	{"default", ofAll},
}

// What is often meant by a tag that would mean nothing.
var mistaken = map[string]string{
	"min": "minimum", "max": "maximum", "minlength": "minLength", "maxlength": "maxLength", "oneOf": "enum",
	"minitems": "minItems", "maxitems": "maxItems", "description": "jsonschema",
}

// withKeywords is the schema with what the field's tags say.
func withKeywords(schema object, field field) (object, error) {
	for wrong, right := range mistaken {
		if _, has := field.tag.Lookup(wrong); has {
			return nil, fmt.Errorf("the tag %s means nothing: write %s", wrong, right)
		}
	}
	if description := field.tag.Get("jsonschema"); description != "" {
		schema.set("description", description)
	}
	kind, _ := schema.find("type").(string)
	for _, keyword := range keywords {
		text, has := field.tag.Lookup(keyword.name)
		if !has {
			continue
		}
		if keyword.kinds != ofAll && (kind == "" || !strings.Contains(" "+keyword.kinds+" ", " "+kind+" ")) {
			return nil, fmt.Errorf("its type %s has no %s", field.of, keyword.name)
		}
		value, err := keywordValue(keyword.name, text, field.of)
		if err != nil {
			return nil, fmt.Errorf("%s:%q: %w", keyword.name, text, err)
		}
		if list, isList := schema.find("items").(object); isList && keyword.name == "enum" {
			list.set("enum", value)
			schema.set("items", list)
		} else {
			schema.set(keyword.name, value)
		}
	}
	return schema, requireConsistent(schema)
}

func keywordValue(keyword, text string, of reflect.Type) (any, error) {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch keyword {
	case "title", "pattern", "format":
		return text, nil
	case "minLength", "maxLength", "minItems", "maxItems":
		return parseInteger(text)
	case "enum":
		if of.Kind() == reflect.Slice || of.Kind() == reflect.Array {
			of = of.Elem()
		}
		var values []any
		for _, each := range strings.Split(text, ",") {
			value, err := valueOf(each, of)
			if err != nil {
				return nil, err
			}
			values = append(values, value)
		}
		return values, nil
	case "default":
		return valueOf(text, of)
	}
	return parseJSON(text)
}

// valueOf is the text as a value of the type: a string without quotes, anything else as JSON.
func valueOf(text string, of reflect.Type) (any, error) {
	if isText(of) {
		return text, nil
	}
	value, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(text), reflect.New(of).Interface()); err != nil {
		return nil, fmt.Errorf("it is no %s", of)
	}
	return value, nil
}

// requireConsistent finds keywords that contradict one another, so that the author hears of it and not the first caller.
func requireConsistent(schema object) error {
	for _, pair := range [][2]string{{"minimum", "maximum"}, {"minLength", "maxLength"}, {"minItems", "maxItems"}} {
		least, most := number(schema.find(pair[0])), number(schema.find(pair[1]))
		if least != nil && most != nil && least.Cmp(most) > 0 {
			return fmt.Errorf("its %s %v is more than its %s %v", pair[0], schema.find(pair[0]), pair[1], schema.find(pair[1]))
		}
	}
	if step := number(schema.find("multipleOf")); step != nil && step.Sign() <= 0 {
		return fmt.Errorf("its multipleOf %v is not more than 0", schema.find("multipleOf"))
	}
	value := schema.find("default")
	if value == nil {
		return nil
	}
	if why := refusal(schema, value); why != "" {
		return fmt.Errorf("its default %v %s", value, why)
	}
	return nil
}

// number is a number of a schema, or nil.
func number(value any) *big.Rat {
	switch value.(type) {
	case json.Number, int, int64, uint64, float64:
		if exact, ok := new(big.Rat).SetString(fmt.Sprint(value)); ok {
			return exact
		}
	}
	return nil
}

// bounds are keywords that bound a number, or the size of a text, and when they are broken.
var bounds = []struct {
	name, words string
	isBroken    func(comparison int) bool
}{
	{"minimum", "must be at least %s", func(c int) bool { return c < 0 }},
	{"maximum", "must be at most %s", func(c int) bool { return c > 0 }},
	{"exclusiveMinimum", "must be more than %s", func(c int) bool { return c <= 0 }},
	{"exclusiveMaximum", "must be less than %s", func(c int) bool { return c >= 0 }},
	{"minLength", "must have at least %s characters", func(c int) bool { return c < 0 }},
	{"maxLength", "must have at most %s characters", func(c int) bool { return c > 0 }},
}

// refusal says why the schema does not allow the value, which is of its type; patterns it leaves alone, which are
// ECMA-262's.
func refusal(schema object, value any) string {
	if choices, has := schema.find("enum").([]any); has {
		words := make([]string, len(choices))
		for i, each := range choices {
			words[i] = fmt.Sprint(each)
		}
		if !slices.Contains(words, fmt.Sprint(value)) {
			return "must be one of " + strings.Join(words, ", ")
		}
	}
	size := number(value)
	if text, isText := value.(string); isText {
		size = big.NewRat(int64(utf8.RuneCountInString(text)), 1)
	}
	for _, each := range bounds {
		bound := number(schema.find(each.name))
		if size != nil && bound != nil && each.isBroken(size.Cmp(bound)) {
			return fmt.Sprintf(each.words, fmt.Sprint(schema.find(each.name)))
		}
	}
	step := number(schema.find("multipleOf"))
	if size != nil && step != nil && !new(big.Rat).Quo(size, step).IsInt() {
		return fmt.Sprintf("must be a multiple of %v", schema.find("multipleOf"))
	}
	return ""
}
