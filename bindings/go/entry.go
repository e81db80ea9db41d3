package mcp

// The functions that the host calls, by the table in bridge.c. A self is the handle of a *Plugin.

// #include "bridge.h"
import "C"

import (
	"errors"
	"runtime/cgo"
	"strings"
	"unsafe"
)

// foreverC is a copy of the text that is never freed, as the table of a library lives as long as that.
func foreverC(text string) C.mcp_string {
	return C.mcp_string{data: C.CString(text), size: C.uint64_t(len(text))}
}

// The first function of the library that is called, which Go holds up until all init functions have run.
//
//export mcpGoEntry
func mcpGoEntry() {
	about := exported.about
	if exported.setup == nil { // only of what has a name a host asks create, which says why
		about.Name, about.Version = "unnamed", "0"
	}
	// The library holds Go's runtime, whose threads never end.
	flags := C.uint32_t(C.MCP_PLUGIN_NEVER_UNLOAD)
	if about.Serial {
		flags |= C.MCP_PLUGIN_SERIAL
	}
	exported.tellOnce.Do(func() {
		C.mcp_go_name(foreverC(about.Name), foreverC(about.Version), flags)
		C.mcp_go_about(foreverC(about.ID), foreverC(about.Vendor), foreverC(about.Description), foreverC(about.WebsiteURL))
	})
}

//export mcpGoCreate
func mcpGoCreate(hostTable, failure unsafe.Pointer) uintptr {
	table := (*C.mcp_host)(hostTable)
	if !hasWhatIsNeeded(table) {
		give(failure, "the host lacks functions that this plugin needs: update the host")
		return 0
	}
	heedMemoryLimit()
	host := &cHost{table: table}
	plugin, err := newPlugin(host, exported.setup)
	if err != nil {
		give(failure, err.Error())
		return 0
	}
	host.self = uintptr(cgo.NewHandle(plugin))
	return host.self
}

//export mcpGoDescribe
func mcpGoDescribe(self uintptr, sink, failure unsafe.Pointer) int32 {
	description, err := pluginOf(self).describe()
	if err != nil {
		give(failure, err.Error())
		return 1
	}
	give(sink, string(description))
	return 0
}

//export mcpGoStart
func mcpGoStart(self uintptr, failure unsafe.Pointer) int32 {
	if err := pluginOf(self).start(); err != nil {
		give(failure, err.Error())
		return 1
	}
	return 0
}

// The handler runs on the host's thread, until it has returned. So the host's limits of calls hold for this plugin, as
// does Serial, and a crash in C code is told with the tool that it happened in. A thread that a handler blocks is
// replaced by the host; a goroutine for each call would only be another queue behind its own.
//
//export mcpGoInvoke
func mcpGoInvoke(self uintptr, call uint64, method, params string) {
	pluginOf(self).invoke(call, method, params)
}

//export mcpGoCancel
func mcpGoCancel(self uintptr, call uint64, reason int32) {
	pluginOf(self).cancel(call, reason)
}

// The text is the host's memory.
//
//export mcpGoTell
func mcpGoTell(self uintptr, uri string, isSubscribed int32) {
	pluginOf(self).tell(strings.Clone(uri), isSubscribed != 0)
}

//export mcpGoStop
func mcpGoStop(self uintptr) {
	pluginOf(self).stop()
	cgo.Handle(self).Delete()
}

func pluginOf(self uintptr) *Plugin {
	return cgo.Handle(self).Value().(*Plugin)
}

var errNotExported = errors.New("it exports nothing: call mcp.Export in a function init of package main")
