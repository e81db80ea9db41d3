module mcp-plugin-host/mcp

go 1.22
