/* SPDX-License-Identifier: Apache-2.0
 *
 * mcp/metrics.h: an optional interface of the host, for plugins that count and measure: what they record is shown
 * beside the host's own metrics, as mcp_plugin_NAME with the label `plugin`, the path of the plugin's file.
 *
 *     const mcp_metrics *metrics = host->get_interface(host, MCP_METRICS);
 *     if (metrics && MCP_HAS(metrics, mcp_metrics, observe))
 *       requests = metrics->declare(host, MCP_METRIC_COUNTER, name, help, NULL, 0, &error);
 *
 * A host may lack it. The table is the host's, constant, and valid as long as the mcp_host that it was asked from.
 *
 * Names, of metrics and of labels, are a lower-case letter and lower-case letters, digits and _, 64 bytes at most. A
 * counter's name ends with _total, which is added where it is missing, and no other one's does; none ends with _bucket,
 * _count, _sum or _info. An instance has at most 64 metrics, and 1000 series: different labels of one metric. What it
 * has recorded ends with it. Only where another one takes the place of an instance that crashed, counters and
 * histograms go on, and their series count as those of the new one.
 */
#ifndef MCP_METRICS_H
#define MCP_METRICS_H

#include <mcp/plugin.h>

#define MCP_METRICS "mcp.metrics/1"

/* Kinds of metrics. */
#define MCP_METRIC_COUNTER 0   /* grows */
#define MCP_METRIC_GAUGE 1     /* goes up and down */
#define MCP_METRIC_HISTOGRAM 2 /* how many values were how large */

#ifdef __cplusplus
extern "C" {
#endif

/* A label is not `plugin` or `le`. Of the value 128 bytes count; without one the label is not there. Frozen. */
typedef struct mcp_label {
  mcp_string name;
  mcp_string value;
} mcp_label;

typedef struct mcp_metrics {
  uint32_t size; /* sizeof(mcp_metrics) as the host knew it */
  uint32_t reserved;

  /* All are [any], and `host` is the mcp_host that was given to create. The three that record return at once and cost
   * about as much as a lock; what is wrong with what they are given is left out, and told once in the host's log. They
   * take at most 8 labels. */

  /* The number of a metric; 0: it is refused, and why is written to `error`, which may be null. `help` says in a line
   * what it is. `bounds` are those of a histogram, growing, 32 at most; none: those of Prometheus for seconds. A metric
   * that has been declared already has the number that it had. */
  uint32_t (*declare)(const mcp_host* host, int32_t kind, mcp_string name, mcp_string help, const double* bounds,
                      uint32_t bound_count, const mcp_sink* error);

  /* To a counter, an amount that is not negative; to a gauge, any. */
  void (*add)(const mcp_host* host, uint32_t metric, const mcp_label* labels, uint32_t label_count, double amount);

  /* Of a gauge. */
  void (*set)(const mcp_host* host, uint32_t metric, const mcp_label* labels, uint32_t label_count, double value);

  /* Of a histogram. */
  void (*observe)(const mcp_host* host, uint32_t metric, const mcp_label* labels, uint32_t label_count, double value);
} mcp_metrics;

#ifdef __cplusplus
}
#endif

#endif /* MCP_METRICS_H */
