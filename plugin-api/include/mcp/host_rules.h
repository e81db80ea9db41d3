/* SPDX-License-Identifier: Apache-2.0
 *
 * mcp/host_rules.h: what the host refuses, for the tests of a plugin that run without one. Its functions are in
 * libmcp_host_rules, which is installed with the host and is made of the host's own code. Nothing of it is for plugins.
 *
 * The functions throw nothing. One mcp_host_rules may be used from several threads.
 */
#ifndef MCP_HOST_RULES_H
#define MCP_HOST_RULES_H

#include <mcp/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mcp_host_rules mcp_host_rules;

/* The rules for the plugin `name` with this description, what mcp_plugin.describe wrote. Null if the host would refuse
 * the plugin; then `error` is given why. To be destroyed by mcp_host_rules_destroy. */
mcp_host_rules* mcp_host_rules_create(mcp_string name, mcp_string description, const mcp_sink* error);
void mcp_host_rules_destroy(mcp_host_rules* rules);

#define MCP_HOST_RULES_ADMITTED (-1)

/* What the host does with a request of these params, a JSON object, for one of the methods of mcp_plugin.invoke. In
 * them "inputResponses" and "inputState" are the answers, and the state, that a plugin which has asked is given back.
 * MCP_HOST_RULES_ADMITTED: it calls the plugin, and `text` is given the params of that call. Otherwise it answers
 * itself: an outcome, MCP_OUTCOME_RESULT or MCP_OUTCOME_ERROR, whose JSON `text` is given. */
int32_t mcp_host_rules_admit(const mcp_host_rules* rules, mcp_string method, mcp_string params, const mcp_sink* text);

/* Nonzero if a client gets what the plugin answered to a call of `component`: a tool's or prompt's name, or a URI.
 * Otherwise `error` is given what the client is told instead, as the message of an internal error (-32603). */
int32_t mcp_host_rules_accept(const mcp_host_rules* rules, mcp_string method, mcp_string component, int32_t outcome,
                              mcp_string json, const mcp_sink* error);

/* Nonzero if a client may give `answer`, JSON, to `request`, one of the input requests of a plugin whose answer has
 * been accepted. To resources/read, which no client is asked, it is what the host gives. Otherwise `error` is given why
 * not. */
int32_t mcp_host_rules_answer(mcp_string request, mcp_string answer, const mcp_sink* error);

/* Nonzero if a plugin may keep `value` under `key` (mcp_store.put in mcp/store.h), as far as that does not depend on
 * what it keeps already. Otherwise `error` is given why not. */
int32_t mcp_host_rules_store(mcp_string key, mcp_string value, const mcp_sink* error);

/* What the host does with a metric that is declared so (mcp_metrics.declare in mcp/metrics.h). Nonzero: it takes it,
 * and `text` is given what it keeps, {"name", "bounds"}: a counter's name has its end, and a histogram has bounds.
 * Otherwise `text` is given why not. Here the host looks at this metric alone, and not at how many there are, or at
 * another one of the name. */
int32_t mcp_host_rules_metric(int32_t kind, mcp_string name, mcp_string help, const double* bounds,
                              uint32_t bound_count, const mcp_sink* text);

#ifdef __cplusplus
}
#endif

#endif /* MCP_HOST_RULES_H */
