package mcp

// The optional interfaces of the host, as C has them: mcp/subscriptions.h, mcp/store.h, mcp/metrics.h and
// mcp/capabilities.h.

// #include <stdlib.h>
// #include "bridge.h"
//
// static mcp_string borrowed(_GoString_ text) {
//   mcp_string string = {_GoStringPtr(text), _GoStringLen(text)};
//   return string;
// }
//
// // Null: the host has none.
// static const void* interface_of(const mcp_host* host, const char* name) {
//   return MCP_HAS(host, mcp_host, get_interface) ? host->get_interface(host, name) : NULL;
// }
// static int has_interface(const mcp_host* host, const char* name) { return interface_of(host, name) != NULL; }
//
// // Each with the last member that is used here: the header may have more than the host. Null: the host has none.
// static const mcp_subscriptions* subscriptions_of(const mcp_host* host) {
//   const mcp_subscriptions* const table = interface_of(host, MCP_SUBSCRIPTIONS);
//   return table != NULL && MCP_HAS(table, mcp_subscriptions, listen) ? table : NULL;
// }
// static const mcp_store* store_of(const mcp_host* host) {
//   const mcp_store* const table = interface_of(host, MCP_STORE);
//   return table != NULL && MCP_HAS(table, mcp_store, list) ? table : NULL;
// }
// static const mcp_metrics* metrics_of(const mcp_host* host) {
//   const mcp_metrics* const table = interface_of(host, MCP_METRICS);
//   return table != NULL && MCP_HAS(table, mcp_metrics, observe) ? table : NULL;
// }
// static const mcp_capabilities* capabilities_of(const mcp_host* host) {
//   const mcp_capabilities* const table = interface_of(host, MCP_CAPABILITIES);
//   return table != NULL && MCP_HAS(table, mcp_capabilities, check) ? table : NULL;
// }
//
// static answer list_subscriptions(const mcp_host* host) {
//   answer all = {NULL, 0};
//   const mcp_sink sink = {&all, mcp_go_append};
//   const mcp_subscriptions* const table = subscriptions_of(host);
//   if (table != NULL) table->list(host, &sink);
//   return all;
// }
// static void listen(const mcp_host* host, uintptr_t self) {
//   const mcp_subscriptions* const table = subscriptions_of(host);
//   const mcp_subscription_listener listener = mcp_go_listener(self);
//   if (table != NULL) table->listen(host, &listener);
// }
//
// typedef struct {
//   int32_t status;
//   uint64_t revision;
//   answer value, error;
// } store_answer;
//
// static store_answer store_get(const mcp_host* host, _GoString_ key) {
//   store_answer all = {MCP_STORE_FAILED, 0, {NULL, 0}, {NULL, 0}};
//   const mcp_sink value = {&all.value, mcp_go_append}, error = {&all.error, mcp_go_append};
//   const mcp_store* const table = store_of(host);
//   if (table != NULL) all.status = table->get(host, borrowed(key), &value, &all.revision, &error);
//   return all;
// }
// static store_answer store_put(const mcp_host* host, _GoString_ key, _GoString_ value, uint64_t if_revision) {
//   store_answer all = {MCP_STORE_FAILED, 0, {NULL, 0}, {NULL, 0}};
//   const mcp_sink error = {&all.error, mcp_go_append};
//   const mcp_store* const table = store_of(host);
//   if (table != NULL) all.status = table->put(host, borrowed(key), borrowed(value), if_revision, NULL, &error);
//   return all;
// }
// static store_answer store_erase(const mcp_host* host, _GoString_ key) {
//   store_answer all = {MCP_STORE_FAILED, 0, {NULL, 0}, {NULL, 0}};
//   const mcp_sink error = {&all.error, mcp_go_append};
//   const mcp_store* const table = store_of(host);
//   if (table != NULL) all.status = table->erase(host, borrowed(key), MCP_STORE_ANY, &error);
//   return all;
// }
// static store_answer store_list(const mcp_host* host, _GoString_ prefix) {
//   store_answer all = {MCP_STORE_FAILED, 0, {NULL, 0}, {NULL, 0}};
//   const mcp_sink keys = {&all.value, mcp_go_append}, error = {&all.error, mcp_go_append};
//   const mcp_store* const table = store_of(host);
//   if (table != NULL) all.status = table->list(host, borrowed(prefix), &keys, &error);
//   return all;
// }
//
// typedef struct {
//   uint32_t number;
//   answer error;
// } metric_answer;
//
// static metric_answer declare(const mcp_host* host, int32_t kind, _GoString_ name, _GoString_ help,
//                              const double* bounds, uint32_t bound_count) {
//   metric_answer all = {0, {NULL, 0}};
//   const mcp_sink error = {&all.error, mcp_go_append};
//   const mcp_metrics* const table = metrics_of(host);
//   if (table == NULL) return all;
//   all.number = table->declare(host, kind, borrowed(name), borrowed(help), bounds, bound_count, &error);
//   return all;
// }
// // The labels' texts are in one, because Go gives C no memory with pointers in it: a name, its value, the next name...
// static void record(const mcp_host* host, int how, uint32_t metric, _GoString_ texts, const uint32_t* sizes,
//                    uint32_t count, double value) {
//   const mcp_metrics* const table = metrics_of(host);
//   mcp_label labels[9];
//   const char* at = _GoStringPtr(texts);
//   for (uint32_t i = 0; i < count; ++i) {
//     labels[i].name.data = at;
//     labels[i].name.size = sizes[2 * i];
//     labels[i].value.data = at + sizes[2 * i];
//     labels[i].value.size = sizes[2 * i + 1];
//     at = labels[i].value.data + sizes[2 * i + 1];
//   }
//   if (table == NULL) return;
//   (how == 0 ? table->add : how == 1 ? table->set : table->observe)(host, metric, labels, count, value);
// }
//
// static metric_answer check_capabilities(const mcp_host* host, _GoString_ json) {
//   metric_answer all = {1, {NULL, 0}};
//   const mcp_sink error = {&all.error, mcp_go_append};
//   const mcp_capabilities* const table = capabilities_of(host);
//   if (table != NULL) all.number = (uint32_t)table->check(host, borrowed(json), &error);
//   return all;
// }
import "C"

import (
	"fmt"
	"strings"
	"unsafe"
)

// The interfaces that a host may lack, for HostHas.
const (
	InterfaceSubscriptions = C.MCP_SUBSCRIPTIONS
	InterfaceStore         = C.MCP_STORE
	InterfaceMetrics       = C.MCP_METRICS
	InterfaceCapabilities  = C.MCP_CAPABILITIES
)

// HostHas is whether the host has an optional interface. What needs one that an older host lacks fails.
func (p *Plugin) HostHas(name string) bool { return p.host.hasInterface(name) }

func (p *Plugin) need(name string) error {
	if p.HostHas(name) {
		return nil
	}
	return fmt.Errorf("the host does not have %s, which mcp-plugin-host has from 0.1.0 on: update the host, or ask "+
		"HostHas(%q) beforehand", name, name)
}

const (
	storeDone    = C.MCP_STORE_DONE
	storeAbsent  = C.MCP_STORE_ABSENT
	storeChanged = C.MCP_STORE_CHANGED
	storeFailed  = C.MCP_STORE_FAILED
	storeAny     = uint64(C.MCP_STORE_ANY)
)

const (
	metricCounter   = C.MCP_METRIC_COUNTER
	metricGauge     = C.MCP_METRIC_GAUGE
	metricHistogram = C.MCP_METRIC_HISTOGRAM
)

// How a value is recorded.
const (
	recordAdd = iota
	recordSet
	recordObserve
)

// One more than there may be, so that the host says so.
const maxLabels = 9

// storeAnswer is what has come of a function of the store: one of the above, and why, if it is an error.
type storeAnswer struct {
	status   int
	value    []byte
	revision uint64
	why      string
}

func (h *cHost) hasInterface(name string) bool {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	return C.has_interface(h.table, text) != 0
}

func (h *cHost) subscriptions() string { return taken(C.list_subscriptions(h.table)) }
func (h *cHost) listen()               { C.listen(h.table, C.uintptr_t(h.self)) }

func (h *cHost) storeGet(key string) storeAnswer   { return storeAnswerOf(C.store_get(h.table, key)) }
func (h *cHost) storeErase(key string) storeAnswer { return storeAnswerOf(C.store_erase(h.table, key)) }
func (h *cHost) storeList(prefix string) storeAnswer {
	return storeAnswerOf(C.store_list(h.table, prefix))
}

func (h *cHost) storePut(key string, value []byte, ifRevision uint64) storeAnswer {
	text := unsafe.String(unsafe.SliceData(value), len(value))
	return storeAnswerOf(C.store_put(h.table, key, text, C.uint64_t(ifRevision)))
}

func storeAnswerOf(all C.store_answer) storeAnswer {
	return storeAnswer{int(all.status), []byte(taken(all.value)), uint64(all.revision), taken(all.error)}
}

func (h *cHost) declare(kind int, name, help string, bounds []float64) (number uint32, why string) {
	first := (*C.double)(unsafe.SliceData(bounds))
	all := C.declare(h.table, C.int32_t(kind), name, help, first, C.uint32_t(len(bounds)))
	return uint32(all.number), taken(all.error)
}

func (h *cHost) record(how int, metric uint32, labels []Label, value float64) {
	var sizes [2 * maxLabels]C.uint32_t
	var texts strings.Builder
	for i, label := range labels {
		texts.WriteString(label.Name)
		texts.WriteString(label.Value)
		sizes[2*i], sizes[2*i+1] = C.uint32_t(len(label.Name)), C.uint32_t(len(label.Value))
	}
	C.record(h.table, C.int(how), C.uint32_t(metric), texts.String(), &sizes[0], C.uint32_t(len(labels)), C.double(value))
}

func (h *cHost) checkCapabilities(json string) (isTaken bool, why string) {
	all := C.check_capabilities(h.table, json)
	return all.number == 0, taken(all.error)
}
