// What sample.c is, in Go, by cgo with the kept headers.
package main

// #cgo CFLAGS: -I${SRCDIR}
// #include <stdlib.h>
// #include <string.h>
// #include <mcp/caller.h>
// #include <mcp/plugin.h>
//
// struct sample {
//   const mcp_host* host;
//   int started;
//   uint64_t waiting; // the one call that waits to be cancelled, or 0
// };
//
// // What a host writes into a sink, cut off where there is no more room.
// struct written {
//   size_t size;
//   char text[4096];
// };
//
// static void append(void* context, mcp_string piece) {
//   struct written* written = context;
//   size_t room = sizeof written->text - 1 - written->size;
//   size_t size = piece.size < room ? (size_t)piece.size : room;
//   if (size > 0) memcpy(written->text + written->size, piece.data, size);
//   written->size += size;
// }
//
// static void give(const mcp_sink* sink, _GoString_ text) {
//   mcp_string string = {_GoStringPtr(text), _GoStringLen(text)};
//   sink->write(sink->context, string);
// }
//
// static void complete(const mcp_host* host, mcp_call_id call, int32_t outcome, _GoString_ json) {
//   mcp_string string = {_GoStringPtr(json), _GoStringLen(json)};
//   host->complete(host, call, outcome, string);
// }
//
// static int32_t is_cancelled(const mcp_host* host, mcp_call_id call) { return host->is_cancelled(host, call); }
//
// static void tell_context(const mcp_host* host, mcp_call_id call, struct written* written) {
//   mcp_sink sink = {written, append};
//   host->call_context(host, call, &sink);
// }
//
// static void tell_caller(const mcp_host* host, mcp_call_id call, struct written* written) {
//   mcp_sink sink = {written, append};
//   const mcp_caller* callers = host->get_interface(host, MCP_CALLER);
//   callers->describe(host, call, &sink);
// }
//
// // Go has no word for const.
// typedef const mcp_host const_host;
// typedef const mcp_sink const_sink;
// typedef const mcp_plugin const_plugin;
//
// void* keptCreate(const_host* host, const_sink* error);
// int32_t keptDescribe(void* sample, const_sink* sink, const_sink* error);
// int32_t keptStart(void* sample, const_sink* error);
// void keptInvoke(void* sample, mcp_call_id call, mcp_string method, mcp_string params);
// void keptCancel(void* sample, mcp_call_id call, int32_t reason);
// void keptStop(void* sample);
//
// static const mcp_plugin* table(void) {
//   static const mcp_plugin plugin = {
//       .size = sizeof plugin,
//       .flags = MCP_PLUGIN_SERIAL | MCP_PLUGIN_NEVER_UNLOAD,
//       .name = {"kept", sizeof "kept" - 1},
//       .version = {"1.0.0", sizeof "1.0.0" - 1},
//       .id = {"test.kept.go", sizeof "test.kept.go" - 1},
//       .create = keptCreate,
//       .describe = keptDescribe,
//       .start = keptStart,
//       .invoke = keptInvoke,
//       .cancel = keptCancel,
//       .stop = keptStop,
//   };
//   return &plugin;
// }
import "C"

import (
	"fmt"
	"strings"
	"sync/atomic"
	"unsafe"
)

func main() {}

//export mcp_plugin_entry_v1
func mcp_plugin_entry_v1() *C.const_plugin {
	return C.table()
}

//export keptCreate
func keptCreate(host *C.const_host, failure *C.const_sink) unsafe.Pointer {
	sample := (*C.struct_sample)(C.calloc(1, C.sizeof_struct_sample))
	sample.host = host
	return unsafe.Pointer(sample)
}

//export keptDescribe
func keptDescribe(sample unsafe.Pointer, sink, failure *C.const_sink) C.int32_t {
	C.give(sink, `{"tools":[{"name":"known","inputSchema":{"type":"object"}},`)
	C.give(sink, `{"name":"wait","inputSchema":{"type":"object"}}]}`)
	return 0
}

//export keptStart
func keptStart(sample unsafe.Pointer, failure *C.const_sink) C.int32_t {
	(*C.struct_sample)(sample).started = 1
	return 0
}

//export keptInvoke
func keptInvoke(instance unsafe.Pointer, call C.mcp_call_id, method, params C.mcp_string) {
	sample := (*C.struct_sample)(instance)
	if !strings.Contains(C.GoStringN(params.data, C.int(params.size)), `"wait"`) {
		tellWhatIsKnown(sample, call)
		return
	}
	atomic.StoreUint64((*uint64)(&sample.waiting), uint64(call))
	if C.is_cancelled(sample.host, call) != C.MCP_CANCEL_NONE {
		endWaiting(sample, call)
	}
}

func tellWhatIsKnown(sample *C.struct_sample, call C.mcp_call_id) {
	var context, caller C.struct_written
	C.tell_context(sample.host, call, &context)
	C.tell_caller(sample.host, call, &caller)
	known := fmt.Sprintf(`{"context":%s,"caller":%s,"started":%t}`, textOf(&context), textOf(&caller), sample.started == 1)
	C.complete(sample.host, call, C.MCP_OUTCOME_RESULT, `{"content":[],"structuredContent":`+known+`}`)
}

func textOf(written *C.struct_written) string {
	return C.GoStringN(&written.text[0], C.int(written.size))
}

// The call may be cancelled before invoke has come to know of it, and while it does.
func endWaiting(sample *C.struct_sample, call C.mcp_call_id) {
	if atomic.CompareAndSwapUint64((*uint64)(&sample.waiting), uint64(call), 0) {
		reason := C.is_cancelled(sample.host, call)
		C.complete(sample.host, call, C.MCP_OUTCOME_ERROR, fmt.Sprintf(`{"code":-32603,"message":"cancelled %d"}`, reason))
	}
}

//export keptCancel
func keptCancel(sample unsafe.Pointer, call C.mcp_call_id, reason C.int32_t) {
	endWaiting((*C.struct_sample)(sample), call)
}

//export keptStop
func keptStop(sample unsafe.Pointer) {
	C.free(sample)
}
