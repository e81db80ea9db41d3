module tutorial

go 1.22

require mcp-plugin-host/mcp v0.1.0

replace mcp-plugin-host/mcp => ../../../bindings/go
