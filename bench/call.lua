-- wrk script: tools/call of echo with an id that no other request of the run has. MCP_ERA is legacy or modern; legacy needs
-- MCP_SESSION. Each request takes the next token of the file that MCP_TOKENS names, if there is one.
local era = os.getenv("MCP_ERA") or "legacy"
local threads = 0
function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

function init()
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
  wrk.headers["Accept"] = "application/json, text/event-stream"
  count = 0
  local meta = ""
  if era == "modern" then
    wrk.headers["MCP-Protocol-Version"] = "2026-07-28"
    wrk.headers["Mcp-Method"] = "tools/call"
    wrk.headers["Mcp-Name"] = "echo"
    meta = ',"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
  else
    wrk.headers["MCP-Protocol-Version"] = "2025-11-25"
    wrk.headers["Mcp-Session-Id"] = os.getenv("MCP_SESSION")
  end
  tokens = {}
  local file = os.getenv("MCP_TOKENS")
  if file then
    for line in io.lines(file) do tokens[#tokens + 1] = "Bearer " .. line end
  end
  before = '{"jsonrpc":"2.0","id":"' .. number .. "-"
  after = '","method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"}' .. meta .. "}}"
end

function request()
  count = count + 1
  if #tokens > 0 then wrk.headers["Authorization"] = tokens[(count - 1) % #tokens + 1] end
  return wrk.format(nil, nil, nil, before .. count .. after)
end

function done(summary, latency)
  io.write(string.format("RESULT %.0f %.1f %.1f %d\n", summary.requests / summary.duration * 1e6,
    latency:percentile(50), latency:percentile(99),
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.status + summary.errors.timeout))
end
