// What Go does by itself when something goes wrong.
package main

import (
	"errors"
	"time"

	"mcp-plugin-host/mcp"
)

func main() {}

func init() {
	mcp.Export(&mcp.Implementation{Name: "failing", Version: "1.0.0"}, setup)
}

type node struct{ value int }

func setup(plugin *mcp.Plugin) error {
	mcp.AddTool(plugin, &mcp.Tool{Name: "nil", Description: "Reads through a nil pointer."},
		func(*mcp.Context, struct{}) (int, error) {
			var nowhere *node
			return nowhere.value, nil
		})

	mcp.AddTool(plugin, &mcp.Tool{Name: "goroutine", Description: "Panics where nobody recovers."},
		func(*mcp.Context, struct{}) (int, error) {
			go func() { panic("lost") }()
			time.Sleep(time.Minute)
			return 0, nil
		})

	mcp.AddTool(plugin, &mcp.Tool{Name: "churn", Description: "Keeps 200 MiB, and drops 2 GiB one by one."},
		func(*mcp.Context, struct{}) (int, error) {
			const keeps, drops = 200, 2000
			kept := make([][]byte, 0, keeps)
			for i := range keeps + drops {
				block := make([]byte, 1<<20)
				for j := range block {
					block[j] = 1
				}
				if i < keeps {
					kept = append(kept, block)
				}
			}
			return len(kept), nil
		})

	mcp.AddTool(plugin, &mcp.Tool{Name: "unforeseen", Description: "Fails in words that nobody has meant for a model."},
		func(*mcp.Context, struct{}) (int, error) { return 0, errors.New("pq: no such host db.internal") })

	mcp.AddTool(plugin, &mcp.Tool{Name: "told", Description: "Fails in words for a model."},
		func(*mcp.Context, struct{}) (int, error) { return 0, mcp.ToolErrorf("Ask for %d or more.", 3) })
	return nil
}
