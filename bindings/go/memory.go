package mcp

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
)

// heedMemoryLimit tells the garbage collector of limits.memoryBytes, which ends a process whose collector would only have
// run later.
func heedMemoryLimit() {
	var limit syscall.Rlimit
	if os.Getenv("GOMEMLIMIT") != "" || syscall.Getrlimit(syscall.RLIMIT_DATA, &limit) != nil || limit.Cur > math.MaxInt64 {
		return
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	// Of what is left for Go, some is kept for the stacks of further threads, for what C code allocates, and for what is
	// allocated while the collector runs.
	const kept = 4
	others := max(dataBytes()-int64(stats.Sys), 0)
	if room := int64(limit.Cur) - others; room > 0 {
		debug.SetMemoryLimit(room - room/kept)
	}
}

// dataBytes is what counts for that limit so far, the stacks of threads among it; 0 where it is not told.
func dataBytes() int64 {
	var size, resident, shared, text, library, data int64
	file, err := os.Open("/proc/self/statm")
	if err != nil {
		return 0
	}
	defer file.Close()
	if _, err := fmt.Fscan(file, &size, &resident, &shared, &text, &library, &data); err != nil {
		return 0
	}
	return data * int64(os.Getpagesize())
}
