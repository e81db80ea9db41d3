// What a plugin can ask of the host besides serving calls, as tests/integration/plugins/interfaces.cpp has it in C++.
package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"mcp-plugin-host/mcp"
)

func main() {}

func init() {
	mcp.Export(&mcp.Implementation{Name: "interfaces", Version: "1.0.0"}, setup)
}

type nothing struct{}

func setup(plugin *mcp.Plugin) error {
	followSubscriptions(plugin)
	for _, add := range []func(*mcp.Plugin) error{keepValues, record, addCapabilities} {
		if err := add(plugin); err != nil {
			return err
		}
	}
	return nil
}

func followSubscriptions(plugin *mcp.Plugin) {
	var mutex sync.Mutex
	var heard []string
	hear := func(sign string) func(string) {
		return func(uri string) {
			mutex.Lock()
			defer mutex.Unlock()
			heard = append(heard, sign+uri)
		}
	}
	plugin.OnSubscribed(hear("+"))
	plugin.OnUnsubscribed(hear("-"))
	mcp.AddResource(plugin, &mcp.Resource{URI: "interfaces://one", Name: "one", Description: "A resource."},
		func(*mcp.Context) (string, error) { return "one", nil })
	mcp.AddResourceTemplate(plugin, &mcp.ResourceTemplate{
		URITemplate: "interfaces://items/{name}", Name: "item", Description: "Any number of them."},
		func(_ *mcp.Context, in struct {
			Name string `json:"name"`
		}) (string, error) {
			return in.Name, nil
		})
	mcp.AddTool(plugin, &mcp.Tool{Name: "subscriptions", Description: "What clients are subscribed to."},
		func(*mcp.Context, nothing) (string, error) {
			uris, err := plugin.Subscriptions()
			return strings.Join(uris, " "), err
		})
	mcp.AddTool(plugin, &mcp.Tool{Name: "heard", Description: "What it has been told of that."},
		func(*mcp.Context, nothing) (string, error) {
			mutex.Lock()
			defer mutex.Unlock()
			return strings.Join(heard, " "), nil
		})
}

func increased(before []byte) ([]byte, error) {
	count := 0
	if before != nil {
		var err error
		if count, err = strconv.Atoi(string(before)); err != nil {
			return nil, err
		}
	}
	return []byte(strconv.Itoa(count + 1)), nil
}

func keepValues(plugin *mcp.Plugin) error {
	store, err := plugin.Store()
	if err != nil {
		return err
	}
	type visit struct {
		Who string `json:"who" jsonschema:"Who"`
	}
	mcp.AddTool(plugin, &mcp.Tool{Name: "visit", Description: "Counts."},
		func(_ *mcp.Context, in visit) (string, error) {
			count, err := store.Update(in.Who, increased)
			return string(count), err
		})
	mcp.AddTool(plugin, &mcp.Tool{Name: "flood_store", Description: "Puts more than it may."},
		func(*mcp.Context, nothing) (string, error) {
			for kept := 0; ; kept++ {
				if err := store.Put(fmt.Sprintf("flood/%d", kept), make([]byte, 10_000)); err != nil {
					return fmt.Sprintf("%d kept; %v", kept, err), nil
				}
			}
		})
	mcp.AddTool(plugin, &mcp.Tool{Name: "invalid", Description: "Asks for what the host refuses."},
		func(*mcp.Context, nothing) (string, error) {
			_, err := plugin.Counter("Not a name", "")
			return fmt.Sprintf("%v\n%v", store.Put("", nil), err), nil
		})
	return nil
}

func record(plugin *mcp.Plugin) error {
	served, err := plugin.Counter("served", "Calls, by kind.")
	if err != nil {
		return err
	}
	took, err := plugin.Histogram("took_seconds", "Time of a call.", 0.1, 1)
	if err != nil {
		return err
	}
	mood, err := plugin.Gauge("mood", "How it is.")
	if err != nil {
		return err
	}
	type counted struct {
		Kind string `json:"kind" jsonschema:"Which"`
	}
	mcp.AddTool(plugin, &mcp.Tool{Name: "count", Description: "Counts and measures."},
		func(_ *mcp.Context, in counted) (nothing, error) {
			served.Add(1, mcp.Label{Name: "kind", Value: in.Kind})
			took.Observe(0.5)
			mood.Set(-1.5)
			return nothing{}, nil
		})
	mcp.AddTool(plugin, &mcp.Tool{Name: "flood_metrics", Description: "Records more series than it may."},
		func(*mcp.Context, nothing) (nothing, error) {
			for i := range 100_000 {
				served.Add(1, mcp.Label{Name: "kind", Value: strconv.Itoa(i)})
			}
			return nothing{}, nil
		})
	return nil
}

func addCapabilities(plugin *mcp.Plugin) error {
	var configuration struct {
		Extension map[string]json.RawMessage `json:"extension"`
	}
	if err := plugin.Configuration(&configuration); err != nil {
		return err
	}
	for name, settings := range configuration.Extension {
		plugin.AddExtension(name, settings)
	}
	plugin.AddExperimental("drafts", map[string]int{"version": 1})
	mcp.AddTool(plugin, &mcp.Tool{Name: "withdraw", Description: "Withdraws its experimental capability."},
		func(*mcp.Context, nothing) (nothing, error) {
			plugin.RemoveExperimental("drafts")
			return nothing{}, nil
		})
	return nil
}
