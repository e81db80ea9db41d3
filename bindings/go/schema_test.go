package mcp

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

func schemaText(t *testing.T, of reflect.Type, use schemaUse) string {
	t.Helper()
	schema, err := schemaOf(of, &schemaPlace{use: use, pointer: "#"})
	if err != nil {
		t.Fatalf("%s: %v", of, err)
	}
	text, err := marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func expect(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("\n got: %s\nwant: %s", got, want)
	}
}

func TestTypesHaveTheirSchemas(t *testing.T) {
	for _, each := range []struct {
		of   reflect.Type
		want string
	}{
		{reflect.TypeFor[bool](), `{"type":"boolean"}`},
		{reflect.TypeFor[int](), `{"type":"integer"}`},
		{reflect.TypeFor[int8](), `{"type":"integer","minimum":-128,"maximum":127}`},
		{reflect.TypeFor[uint16](), `{"type":"integer","minimum":0,"maximum":65535}`},
		{reflect.TypeFor[uint64](), `{"type":"integer","minimum":0}`},
		{reflect.TypeFor[float32](), `{"type":"number"}`},
		{reflect.TypeFor[string](), `{"type":"string"}`},
		{reflect.TypeFor[any](), `{}`},
		{reflect.TypeFor[json.RawMessage](), `{}`},
		{reflect.TypeFor[time.Time](), `{"type":"string","format":"date-time"}`},
		{reflect.TypeFor[[]byte](), `{"type":"string","contentEncoding":"base64"}`},
		{reflect.TypeFor[[]string](), `{"type":"array","items":{"type":"string"}}`},
		{reflect.TypeFor[[2]bool](), `{"type":"array","items":{"type":"boolean"},"minItems":2,"maxItems":2}`},
		{reflect.TypeFor[map[string]int](), `{"type":"object","additionalProperties":{"type":"integer"}}`},
		{reflect.TypeFor[map[string]any](), `{"type":"object"}`},
		{reflect.TypeFor[struct{}](), `{"type":"object","properties":{},"additionalProperties":false}`},
	} {
		expect(t, schemaText(t, each.of, forInput), each.want)
	}
}

// level and grade are written as texts by themselves; grade says so of its pointer.
type level uint8

func (l level) MarshalText() ([]byte, error) { return []byte{'a' + byte(l)}, nil }

type grade uint8

func (g *grade) MarshalJSON() ([]byte, error) { return []byte{'"', 'A' + byte(*g), '"'}, nil }

type octet uint8

func TestASliceOfBytesIsATextUnlessTheyAreWrittenByThemselves(t *testing.T) {
	for _, each := range []struct {
		value        any
		schema, text string
	}{
		{[]octet{1, 2}, `{"type":"string","contentEncoding":"base64"}`, `"AQI="`},
		{[]level{1, 2}, `{"type":"array","items":{"type":"string"}}`, `["b","c"]`},
		{[]grade{1, 2}, `{"type":"array","items":{}}`, `["B","C"]`},
		{[2]octet{1, 2}, `{"type":"array","items":{"type":"integer","minimum":0,"maximum":255},"minItems":2,"maxItems":2}`,
			`[1,2]`},
	} {
		expect(t, schemaText(t, reflect.TypeOf(each.value), forOutput), each.schema)
		text, err := marshal(each.value)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, string(text), each.text)
	}
}

type tagged struct {
	Width    int      `json:"width" jsonschema:"In pixels" minimum:"1" maximum:"2000" default:"600"`
	Style    string   `json:"style" enum:"casual,formal"`
	Sizes    []int    `json:"sizes,omitempty" enum:"1,2" maxItems:"3"`
	Code     *string  `json:"code" pattern:"^[a-z]{1,3}$" title:"Code"`
	Share    float64  `json:"share" exclusiveMinimum:"0" maximum:"1"`
	Unlisted chan int `json:"-"`
}

func TestTagsAreKeywords(t *testing.T) {
	expect(t, schemaText(t, reflect.TypeFor[tagged](), forInput), `{"type":"object","properties":{`+
		`"width":{"type":"integer","description":"In pixels","minimum":1,"maximum":2000,"default":600},`+
		`"style":{"type":"string","enum":["casual","formal"]},`+
		`"sizes":{"type":"array","items":{"type":"integer","enum":[1,2]},"maxItems":3},`+
		`"code":{"type":"string","title":"Code","pattern":"^[a-z]{1,3}$"},`+
		`"share":{"type":"number","maximum":1,"exclusiveMinimum":0}},`+
		`"required":["style","share"],"additionalProperties":false}`)
}

type base struct {
	ID int `json:"id"`
}

type node struct {
	base
	Name  string   `json:"a/b"`
	Next  *node    `json:"next,omitempty"`
	Below []node   `json:"below"`
	Note  *string  `json:"note"`
	Words []string `json:"words,omitempty"`
}

func TestAResultMayGrowAndHoldsWhatEncodingJSONWrites(t *testing.T) {
	expect(t, schemaText(t, reflect.TypeFor[node](), forOutput), `{"type":"object","properties":{`+
		`"id":{"type":"integer"},"a/b":{"type":"string"},"next":{"$ref":"#"},`+
		`"below":{"type":["array","null"],"items":{"$ref":"#"}},"note":{"type":["string","null"]},`+
		`"words":{"type":"array","items":{"type":"string"}}},"required":["id","a/b","below","note"]}`)
}

// Before Go 1.24 encoding/json writes null for it.
func TestWhatIsOnlyOmittedAsZeroMayBeNull(t *testing.T) {
	type sparse struct {
		Note  *string  `json:"note,omitzero"`
		Words []string `json:"words,omitzero"`
		Both  *string  `json:"both,omitempty,omitzero"`
		Size  int      `json:"size,omitzero"`
	}
	expect(t, schemaText(t, reflect.TypeFor[sparse](), forOutput), `{"type":"object","properties":{`+
		`"note":{"type":["string","null"]},"words":{"type":["array","null"],"items":{"type":"string"}},`+
		`"both":{"type":"string"},"size":{"type":"integer"}}}`)
	expect(t, schemaText(t, reflect.TypeFor[sparse](), forInput), `{"type":"object","properties":{`+
		`"note":{"type":"string"},"words":{"type":"array","items":{"type":"string"}},`+
		`"both":{"type":"string"},"size":{"type":"integer"}},"additionalProperties":false}`)
}

type tree struct {
	Below []*tree `json:"below"`
}

func TestWhatAListOrAMapHoldsMayBeNull(t *testing.T) {
	for _, each := range []struct {
		of   reflect.Type
		want string
	}{
		{reflect.TypeFor[[][]string](), `{"type":"array","items":{"type":["array","null"],"items":{"type":"string"}}}`},
		{reflect.TypeFor[map[string][]string](),
			`{"type":"object","additionalProperties":{"type":["array","null"],"items":{"type":"string"}}}`},
		{reflect.TypeFor[[]*base](), `{"type":"array","items":{"type":["object","null"],"properties":` +
			`{"id":{"type":"integer"}},"required":["id"]}}`},
		{reflect.TypeFor[[1]map[string]int](), `{"type":"array","items":{"type":["object","null"],` +
			`"additionalProperties":{"type":"integer"}},"minItems":1,"maxItems":1}`},
		{reflect.TypeFor[[][]byte](), `{"type":"array","items":{"type":["string","null"],"contentEncoding":"base64"}}`},
		{reflect.TypeFor[tree](), `{"type":"object","properties":{"below":{"type":["array","null"],"items":` +
			`{"anyOf":[{"$ref":"#"},{"type":"null"}]}}},"required":["below"]}`},
		{reflect.TypeFor[map[string]any](), `{"type":"object"}`},
	} {
		expect(t, schemaText(t, each.of, forOutput), each.want)
	}
	expect(t, schemaText(t, reflect.TypeFor[[][]string](), forInput),
		`{"type":"array","items":{"type":"array","items":{"type":"string"}}}`)
}

func TestAReferenceLeadsToWhereItsTypeBegan(t *testing.T) {
	text := schemaText(t, reflect.TypeFor[struct {
		First node `json:"the first~one"`
	}](), forInput)
	if !strings.Contains(text, `"next":{"$ref":"#/properties/the%20first~0one"}`) {
		t.Error(text)
	}
}

type named map[string]named

type nested []nested

func TestAMapOrASliceThatHoldsItselfHasAReference(t *testing.T) {
	expect(t, schemaText(t, reflect.TypeFor[named](), forInput), `{"type":"object","additionalProperties":{"$ref":"#"}}`)
	expect(t, schemaText(t, reflect.TypeFor[nested](), forOutput),
		`{"type":"array","items":{"anyOf":[{"$ref":"#"},{"type":"null"}]}}`)
}

func TestAFormIsFlat(t *testing.T) {
	type form struct {
		Name  string   `json:"name" minLength:"1"`
		Sizes []string `json:"sizes" enum:"small,large"`
	}
	expect(t, schemaText(t, reflect.TypeFor[form](), forForm), `{"type":"object","properties":{`+
		`"name":{"type":"string","minLength":1},`+
		`"sizes":{"type":"array","items":{"type":"string","enum":["small","large"]}}},"required":["name","sizes"]}`)
	_, err := FormRequest[struct {
		Inner base `json:"inner"`
	}]("What?")
	expectError(t, err, `field "inner": a field of a form is a number, a string, a bool`)
	_, err = FormRequest[struct {
		Words []string `json:"words"`
	}]("What?")
	expectError(t, err, `field "words": a field of a form is a number, a string, a bool, or a slice of strings with an enum`)
}

func expectError(t *testing.T, err error, words string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf("\n got: %v\nwant: %s", err, words)
	}
}

func TestMistakesInTypesAreToldInWords(t *testing.T) {
	for _, each := range []struct {
		of    reflect.Type
		words string
	}{
		{reflect.TypeFor[struct{ F func() }](), `field "F": func() has no form in JSON`},
		{reflect.TypeFor[map[bool]int](), "map[bool]int has no form in JSON: use a map by strings"},
		{reflect.TypeFor[struct {
			A int `minLength:"1"`
		}](), `field "A": its type int has no minLength`},
		{reflect.TypeFor[struct {
			A int `min:"1"`
		}](), `field "A": the tag min means nothing: write minimum`},
		{reflect.TypeFor[struct {
			A int `minimum:"one"`
		}](), `field "A": minimum:"one": invalid character`},
		{reflect.TypeFor[struct {
			A int `minimum:"3" maximum:"2"`
		}](), `field "A": its minimum 3 is more than its maximum 2`},
		{reflect.TypeFor[struct {
			A int `maximum:"2" default:"3"`
		}](), `field "A": its default 3 must be at most 2`},
		{reflect.TypeFor[struct {
			A string `enum:"a,b" default:"c"`
		}](), `field "A": its default c must be one of a, b`},
		{reflect.TypeFor[struct {
			A int `default:"x"`
		}](), `field "A": default:"x": invalid character`},
		{reflect.TypeFor[struct {
			base
			A int `json:"id"`
		}](), `are named "id"`},
		{reflect.TypeFor[struct{ *base }](), "embed the struct itself"},
		{reflect.TypeFor[struct {
			A int `json:",string"`
		}](), `field "A": the option "string" has no schema`},
	} {
		_, err := schemaOf(each.of, &schemaPlace{use: forInput, pointer: "#"})
		expectError(t, err, each.words)
	}
}

func TestAnIntegerMayBeWrittenAsANumber(t *testing.T) {
	var into struct {
		A int   `json:"a"`
		B []int `json:"b"`
	}
	if err := unmarshal([]byte(`{"a":5.0,"b":[1e2,7]}`), &into); err != nil {
		t.Fatal(err)
	}
	if into.A != 5 || !reflect.DeepEqual(into.B, []int{100, 7}) {
		t.Error(into)
	}
	expectError(t, unmarshal([]byte(`{"a":5.5}`), &into), "cannot unmarshal number 5.5")
}
