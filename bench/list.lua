-- wrk script: tools/list, revision 2026-07-28.
function init()
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
  wrk.headers["Accept"] = "application/json, text/event-stream"
  wrk.headers["MCP-Protocol-Version"] = "2026-07-28"
  wrk.headers["Mcp-Method"] = "tools/list"
  count = 0
end

function request()
  count = count + 1
  return wrk.format(nil, nil, nil, '{"jsonrpc":"2.0","id":' .. count ..
    ',"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}')
end

function done(summary, latency)
  io.write(string.format("RESULT %.0f %.1f %.1f %d\n", summary.requests / summary.duration * 1e6,
    latency:percentile(50), latency:percentile(99),
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.status + summary.errors.timeout))
end
