package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// member is a member of an object whose members keep the author's order, because models read it.
type member struct {
	name  string
	value any
}

type object []member

func (o object) find(name string) any {
	for _, each := range o {
		if each.name == name {
			return each.value
		}
	}
	return nil
}

// set replaces the member of that name where it is, or adds it.
func (o *object) set(name string, value any) {
	for i := range *o {
		if (*o)[i].name == name {
			(*o)[i].value = value
			return
		}
	}
	*o = append(*o, member{name, value})
}

func (o object) MarshalJSON() ([]byte, error) {
	text := []byte{'{'}
	for i, each := range o {
		if i > 0 {
			text = append(text, ',')
		}
		name, err := marshal(each.name)
		if err != nil {
			return nil, err
		}
		value, err := marshal(each.value)
		if err != nil {
			return nil, err
		}
		text = append(append(append(text, name...), ':'), value...)
	}
	return append(text, '}'), nil
}

// marshal is json.Marshal that leaves <, > and & as they are.
func marshal(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(text.Bytes(), []byte{'\n'}), nil
}

// unmarshal is json.Unmarshal that also takes 5.0 and 5e0 for an integer, as JSON Schema does.
func unmarshal(text []byte, into any) error {
	first := json.Unmarshal(text, into)
	if first == nil {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return first
	}
	plain, err := marshal(withPlainIntegers(value))
	if err != nil || json.Unmarshal(plain, into) != nil {
		return first
	}
	return nil
}

func withPlainIntegers(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, each := range value {
			value[name] = withPlainIntegers(each)
		}
	case []any:
		for i, each := range value {
			value[i] = withPlainIntegers(each)
		}
	case json.Number:
		number, err := value.Float64()
		if err == nil && number == math.Trunc(number) && math.Abs(number) < 1<<53 {
			return json.Number(strconv.FormatInt(int64(number), 10))
		}
	}
	return value
}

// parseJSON reads one value, whose numbers stay as they are written.
func parseJSON(text string) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("more follows the value")
	}
	return value, nil
}
