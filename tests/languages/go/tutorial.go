// The tutorial plugin in Go: all that a plugin can do, as the other languages do it.
package main

// static void write_through_null(void) {
//   volatile int* const nowhere = 0;
//   *nowhere = 1;
// }
import "C"

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"mcp-plugin-host/mcp"
)

func main() {}

func init() {
	mcp.Export(&mcp.Implementation{Name: "tutorial", Version: "1.0.0"}, setup)
}

func setup(plugin *mcp.Plugin) error {
	var configuration struct {
		Greeting string `json:"greeting"`
	}
	if err := plugin.Configuration(&configuration); err != nil {
		return err
	}
	greeting := configuration.Greeting
	if greeting == "" {
		greeting = "Hi"
	}
	addPlainTools(plugin, greeting)
	addToolsWithContext(plugin)
	addOthers(plugin)
	return nil
}

type addition struct {
	A int64 `json:"a" jsonschema:"The first number"`
	B int64 `json:"b" jsonschema:"The second number"`
}

type greetingOf struct {
	Name  string `json:"name" jsonschema:"Whom to greet" minLength:"1"`
	Style string `json:"style" enum:"casual,formal" default:"casual"`
}

type size struct {
	Width  int `json:"width" jsonschema:"In pixels" minimum:"1" maximum:"2000"`
	Height int `json:"height" jsonschema:"In pixels" minimum:"1" maximum:"2000" default:"600"`
}

type person struct {
	Name  string  `json:"name"`
	Age   int     `json:"age" minimum:"0"`
	Email *string `json:"email,omitempty"`
}

type registration struct {
	Person person `json:"person"`
}

type registered struct {
	person
	Adult bool `json:"adult"`
}

type failure struct {
	Message string `json:"message"`
}

func addPlainTools(plugin *mcp.Plugin, greeting string) {
	mcp.AddTool(plugin, &mcp.Tool{Name: "add", Description: "Adds two numbers.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ *mcp.Context, in addition) (int64, error) { return in.A + in.B, nil })

	mcp.AddTool(plugin, &mcp.Tool{Name: "greet", Description: "Greets somebody."},
		func(_ *mcp.Context, in greetingOf) (string, error) {
			if in.Style == "formal" {
				return "Good day, " + in.Name + ".", nil
			}
			return greeting + ", " + in.Name + "!", nil
		})

	mcp.AddTool(plugin, &mcp.Tool{Name: "resize", Description: "Says the size of a picture."},
		func(_ *mcp.Context, in size) (string, error) { return fmt.Sprintf("%dx%d", in.Width, in.Height), nil })

	mcp.AddTool(plugin, &mcp.Tool{Name: "register_person", Description: "Registers a person."},
		func(_ *mcp.Context, in registration) (registered, error) {
			return registered{person: in.Person, Adult: in.Person.Age >= 18}, nil
		})

	mcp.AddTool(plugin, &mcp.Tool{Name: "picture", Description: "Shows a picture."},
		func(*mcp.Context, struct{}) (*mcp.ImageContent, error) {
			return &mcp.ImageContent{MIMEType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")}, nil
		})

	mcp.AddTool(plugin, &mcp.Tool{Name: "fail", Description: "Fails."},
		func(_ *mcp.Context, in failure) (any, error) { return nil, mcp.ToolErrorf("%s", in.Message) })
}

type counting struct {
	To           int `json:"to" minimum:"1" maximum:"100000"`
	Milliseconds int `json:"milliseconds" jsonschema:"The pause after each step" minimum:"0" maximum:"1000" default:"0"`
}

func count(call *mcp.Context, in counting) (string, error) {
	call.Log(mcp.LevelInfo, fmt.Sprintf("counting to %d", in.To))
	for i := 1; i <= in.To; i++ {
		call.Progress(float64(i), float64(in.To), fmt.Sprintf("%d of %d", i, in.To))
		if call.Err() != nil {
			return "", errors.New("cancelled")
		}
		if in.Milliseconds > 0 {
			select {
			case <-call.Done():
			case <-time.After(time.Duration(in.Milliseconds) * time.Millisecond):
			}
		}
	}
	return fmt.Sprintf("counted to %d", in.To), nil
}

func wait(call *mcp.Context, _ struct{}) (string, error) {
	select {
	case <-call.Done():
		return "", errors.New("cancelled")
	case <-time.After(5 * time.Second):
		return "waited", nil
	}
}

type nameForm struct {
	Name string `json:"name"`
}

func askName(call *mcp.Context, _ struct{}) (string, error) {
	answer, err := mcp.Elicit[nameForm](call, "name", "What is your name?")
	if err != nil {
		return "", err
	}
	switch answer.Action {
	case mcp.Accept:
		return "Hello, " + answer.Content.Name + "!", nil
	case mcp.Decline:
		return "You declined.", nil
	}
	return "You cancelled.", nil
}

type breaking struct {
	How string `json:"how" enum:"panic,crash"`
}

func addToolsWithContext(plugin *mcp.Plugin) {
	mcp.AddTool(plugin, &mcp.Tool{Name: "count", Description: "Counts slowly."}, count)
	mcp.AddTool(plugin, &mcp.Tool{Name: "slow_tool", Description: "Takes too long.", Timeout: 300 * time.Millisecond,
		Tags: []string{"slow"}}, wait)
	mcp.AddTool(plugin, &mcp.Tool{Name: "ask_name", Description: "Asks for a name."}, askName)

	mcp.AddTool(plugin, &mcp.Tool{Name: "break", Description: "Breaks."},
		func(_ *mcp.Context, in breaking) (string, error) {
			if in.How == "panic" {
				panic("broken")
			}
			C.write_through_null() // in C, because in Go it would be a panic
			return "", nil
		})

	mcp.AddTool(plugin, &mcp.Tool{Name: "caller", Description: "Says who calls."},
		func(call *mcp.Context, _ struct{}) (string, error) {
			return call.Info().ProtocolVersion + " " + call.Info().Client.Name, nil
		})
}

type square struct {
	N int64 `json:"n"`
}

type review struct {
	Code string `json:"code" jsonschema:"What to review"`
}

type greetingIn struct {
	Language string `json:"language" jsonschema:"In which language"`
}

func languages(_ *mcp.Context, typed string, _ map[string]string) ([]string, error) {
	var values []string
	for _, each := range []string{"english", "finnish", "french", "german"} {
		if strings.HasPrefix(each, typed) {
			values = append(values, each)
		}
	}
	return values, nil
}

func addOthers(plugin *mcp.Plugin) {
	mcp.AddResource(plugin,
		&mcp.Resource{URI: "tutorial://version", Name: "version", Description: "The plugin's version.", MIMEType: "text/plain"},
		func(*mcp.Context) (string, error) { return "1.0.0", nil })

	mcp.AddResourceTemplate(plugin,
		&mcp.ResourceTemplate{URITemplate: "tutorial://squares/{n}", Name: "square", Description: "A number squared.",
			MIMEType: "text/plain"},
		func(_ *mcp.Context, in square) (string, error) { return fmt.Sprint(in.N * in.N), nil })

	mcp.AddPrompt(plugin, &mcp.Prompt{Name: "review", Description: "Asks for a review."},
		func(_ *mcp.Context, in review) (string, error) { return "Please review:\n" + in.Code, nil })

	mcp.AddPrompt(plugin, &mcp.Prompt{Name: "greeting", Description: "Asks for a greeting.",
		Completions: map[string]mcp.Completer{"language": languages}},
		func(_ *mcp.Context, in greetingIn) (string, error) { return "Greet me in " + in.Language + ".", nil })
}
