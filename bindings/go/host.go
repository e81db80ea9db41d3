package mcp

// #cgo CFLAGS: -I${SRCDIR}/../../plugin-api/include -I${SRCDIR}/../../../../include
// #include <stdlib.h>
// #include "bridge.h"
//
// static mcp_string borrowed(_GoString_ text) {
//   mcp_string string = {_GoStringPtr(text), _GoStringLen(text)};
//   return string;
// }
//
// static void give(const mcp_sink* sink, _GoString_ text) {
//   sink->write(sink->context, borrowed(text));
// }
//
// static int has_what_is_needed(const mcp_host* host) { return MCP_HAS(host, mcp_host, resource_updated); }
// static void complete(const mcp_host* host, mcp_call_id call, int32_t outcome, _GoString_ json) {
//   host->complete(host, call, outcome, borrowed(json));
// }
// static void progress(const mcp_host* host, mcp_call_id call, double done, double total, _GoString_ message) {
//   host->progress(host, call, done, total, borrowed(message));
// }
// static void write_log(const mcp_host* host, mcp_call_id call, int32_t level, _GoString_ message) {
//   host->log(host, call, level, borrowed(message));
// }
// static int32_t is_cancelled(const mcp_host* host, mcp_call_id call) { return host->is_cancelled(host, call); }
// static answer call_context(const mcp_host* host, mcp_call_id call) {
//   answer all = {NULL, 0};
//   const mcp_sink sink = {&all, mcp_go_append};
//   host->call_context(host, call, &sink);
//   return all;
// }
// static answer caller(const mcp_host* host, mcp_call_id call) {
//   answer all = {NULL, 0};
//   const mcp_sink sink = {&all, mcp_go_append};
//   if (!MCP_HAS(host, mcp_host, get_interface)) return all;
//   const mcp_caller* const interface = host->get_interface(host, MCP_CALLER);
//   if (interface != NULL && MCP_HAS(interface, mcp_caller, describe)) interface->describe(host, call, &sink);
//   return all;
// }
// static answer configuration(const mcp_host* host) {
//   answer all = {NULL, 0};
//   const mcp_sink sink = {&all, mcp_go_append};
//   host->configuration(host, &sink);
//   return all;
// }
// static answer data_directory(const mcp_host* host) {
//   answer all = {NULL, 0};
//   const mcp_sink sink = {&all, mcp_go_append};
//   host->data_directory(host, &sink);
//   return all;
// }
// static answer bundle_directory(const mcp_host* host) {
//   answer all = {NULL, 0};
//   const mcp_sink sink = {&all, mcp_go_append};
//   if (!MCP_HAS(host, mcp_host, get_interface)) return all;
//   const mcp_bundle* const interface = host->get_interface(host, MCP_BUNDLE);
//   if (interface != NULL && MCP_HAS(interface, mcp_bundle, directory)) interface->directory(host, &sink);
//   return all;
// }
// static void components_changed(const mcp_host* host) { host->components_changed(host); }
// static void resource_updated(const mcp_host* host, _GoString_ uri) { host->resource_updated(host, borrowed(uri)); }
import "C"

import "unsafe"

// host is what the host does for an instance. Every function may be called on any goroutine.
type host interface {
	complete(call uint64, outcome int, json []byte)
	progress(call uint64, progress, total float64, message string)
	log(call uint64, level Level, message string)
	isCancelled(call uint64) int32
	callContext(call uint64) string
	caller(call uint64) string
	configuration() string
	dataDirectory() string
	bundleDirectory() string
	componentsChanged()
	resourceUpdated(uri string)

	hasInterface(name string) bool
	subscriptions() string
	listen()
	storeGet(key string) storeAnswer
	storePut(key string, value []byte, ifRevision uint64) storeAnswer
	storeErase(key string) storeAnswer
	storeList(prefix string) storeAnswer
	declare(kind int, name, help string, bounds []float64) (number uint32, why string)
	record(how int, metric uint32, labels []Label, value float64)
	checkCapabilities(json string) (isTaken bool, why string)
}

const (
	outcomeResult        = C.MCP_OUTCOME_RESULT
	outcomeError         = C.MCP_OUTCOME_ERROR
	outcomeInputRequired = C.MCP_OUTCOME_INPUT_REQUIRED
)

const (
	cancelNone     = C.MCP_CANCEL_NONE
	cancelClient   = C.MCP_CANCEL_CLIENT
	cancelDeadline = C.MCP_CANCEL_DEADLINE
	cancelShutdown = C.MCP_CANCEL_SHUTDOWN
	cancelReload   = C.MCP_CANCEL_RELOAD
)

// cHost is the host's own table, which is valid until stop has returned.
type cHost struct {
	table *C.mcp_host
	self  uintptr // what the host calls the plugin by
}

func hasWhatIsNeeded(table *C.mcp_host) bool {
	return C.has_what_is_needed(table) != 0
}

func give(sink unsafe.Pointer, text string) {
	C.give((*C.mcp_sink)(sink), text)
}

func taken(answer C.answer) string {
	defer C.free(unsafe.Pointer(answer.data))
	return string(unsafe.Slice((*byte)(unsafe.Pointer(answer.data)), int(answer.size)))
}

func (h *cHost) complete(call uint64, outcome int, json []byte) {
	C.complete(h.table, C.mcp_call_id(call), C.int32_t(outcome), unsafe.String(unsafe.SliceData(json), len(json)))
}

func (h *cHost) progress(call uint64, progress, total float64, message string) {
	C.progress(h.table, C.mcp_call_id(call), C.double(progress), C.double(total), message)
}

func (h *cHost) log(call uint64, level Level, message string) {
	C.write_log(h.table, C.mcp_call_id(call), C.int32_t(level), message)
}

func (h *cHost) isCancelled(call uint64) int32 {
	return int32(C.is_cancelled(h.table, C.mcp_call_id(call)))
}

func (h *cHost) callContext(call uint64) string {
	return taken(C.call_context(h.table, C.mcp_call_id(call)))
}

func (h *cHost) caller(call uint64) string {
	return taken(C.caller(h.table, C.mcp_call_id(call)))
}

func (h *cHost) configuration() string   { return taken(C.configuration(h.table)) }
func (h *cHost) dataDirectory() string   { return taken(C.data_directory(h.table)) }
func (h *cHost) bundleDirectory() string { return taken(C.bundle_directory(h.table)) }
func (h *cHost) componentsChanged()      { C.components_changed(h.table) }

func (h *cHost) resourceUpdated(uri string) { C.resource_updated(h.table, uri) }
