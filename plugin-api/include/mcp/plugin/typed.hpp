// Everything of <mcp/plugin.hpp> but the definition of mcp::Json: for plugins that say all they mean with types, which
// then compile in about two thirds of the time.
#pragma once

#include <mcp/plugin/app.hpp>
#include <mcp/plugin/arg.hpp>
#include <mcp/plugin/bytes.hpp>
#include <mcp/plugin/call.hpp>
#include <mcp/plugin/completion.hpp>
#include <mcp/plugin/content.hpp>
#include <mcp/plugin/context.hpp>
#include <mcp/plugin/enum_names.hpp>
#include <mcp/plugin/error.hpp>
#include <mcp/plugin/export.hpp>
#include <mcp/plugin/field.hpp>
#include <mcp/plugin/input_request.hpp>
#include <mcp/plugin/instance.hpp>
#include <mcp/plugin/json.hpp>
#include <mcp/plugin/json_form.hpp>
#include <mcp/plugin/metadata.hpp>
#include <mcp/plugin/prompt.hpp>
#include <mcp/plugin/read_json.hpp>
#include <mcp/plugin/resource.hpp>
#include <mcp/plugin/tool.hpp>
#include <mcp/plugin/tool_result.hpp>
#include <mcp/plugin/variables.hpp>
