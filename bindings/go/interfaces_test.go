package mcp

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// fakeInterfaces are the optional interfaces of a fakeHost.
type fakeInterfaces struct {
	removed  []string
	kept     map[string]Entry
	last     uint64
	metrics  []string
	recorded map[string]float64
	listens  bool
}

func (f *fakeInterfaces) hasInterface(name string) bool { return !slices.Contains(f.removed, name) }
func (f *fakeInterfaces) subscriptions() string         { return `["a://x"]` }
func (f *fakeInterfaces) listen()                       { f.listens = true }

func (f *fakeInterfaces) storeGet(key string) storeAnswer {
	entry, has := f.kept[key]
	if !has {
		return storeAnswer{status: storeAbsent}
	}
	return storeAnswer{status: storeDone, value: entry.Value, revision: entry.Revision}
}

func (f *fakeInterfaces) storePut(key string, value []byte, ifRevision uint64) storeAnswer {
	switch {
	case key == "":
		return storeAnswer{status: storeFailed, why: "a key is not empty"}
	case ifRevision != storeAny && ifRevision != f.kept[key].Revision:
		return storeAnswer{status: storeChanged}
	}
	if f.kept == nil {
		f.kept = map[string]Entry{}
	}
	f.last++
	f.kept[key] = Entry{slices.Clone(value), f.last}
	return storeAnswer{status: storeDone}
}

func (f *fakeInterfaces) storeErase(key string) storeAnswer {
	if _, has := f.kept[key]; !has {
		return storeAnswer{status: storeAbsent}
	}
	delete(f.kept, key)
	return storeAnswer{status: storeDone}
}

func (f *fakeInterfaces) storeList(prefix string) storeAnswer {
	keys := []string{}
	for key := range f.kept {
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	text, _ := marshal(keys)
	return storeAnswer{status: storeDone, value: text}
}

func (f *fakeInterfaces) declare(_ int, name, _ string, _ []float64) (uint32, string) {
	if strings.Contains(name, " ") {
		return 0, fmt.Sprintf("%q is no name", name)
	}
	f.metrics = append(f.metrics, name)
	return uint32(len(f.metrics)), ""
}

func (f *fakeInterfaces) record(how int, metric uint32, labels []Label, value float64) {
	if f.recorded == nil {
		f.recorded = map[string]float64{}
	}
	f.recorded[fmt.Sprintf("%s %d %v", f.metrics[metric-1], how, labels)] += value
}

func (f *fakeInterfaces) checkCapabilities(json string) (bool, string) {
	return !strings.Contains(json, "modelcontextprotocol"), "it has a prefix that is reserved for MCP"
}

func TestSubscriptionsAreToldAndCanBeAskedFor(t *testing.T) {
	var heard []string
	plugin, host := served(t, func(plugin *Plugin) error {
		plugin.OnSubscribed(func(uri string) { heard = append(heard, "+"+uri) })
		plugin.OnUnsubscribed(func(uri string) { heard = append(heard, "-"+uri) })
		plugin.OnUnsubscribed(func(string) { panic("no inotify") })
		return nil
	})
	if err := plugin.start(); err != nil || !host.listens {
		t.Error("it does not listen", err)
	}
	plugin.tell("a://x", true)
	plugin.tell("a://x", false)
	expect(t, strings.Join(heard, " "), "+a://x -a://x")
	if len(host.said) != 1 || !strings.Contains(host.said[0], "OnUnsubscribed: panic: no inotify") {
		t.Error(host.said)
	}
	uris, err := plugin.Subscriptions()
	expect(t, fmt.Sprint(uris, err), "[a://x] <nil>")
}

func TestAStoreKeepsValuesByTheirRevisions(t *testing.T) {
	plugin, host := served(t, func(*Plugin) error { return nil })
	store, err := plugin.Store()
	if err != nil {
		t.Fatal(err)
	}
	count := func(before []byte) ([]byte, error) {
		if before == nil {
			return []byte("1"), nil
		}
		number, err := strconv.Atoi(string(before))
		return []byte(strconv.Itoa(number + 1)), err
	}
	for _, want := range []string{"1", "2"} {
		value, err := store.Update("ada", count)
		expect(t, fmt.Sprint(string(value), err), want+"<nil>")
	}
	isPut, err := store.PutIf("ada", []byte("3"), 1)
	expect(t, fmt.Sprint(isPut, err), "false <nil>")
	if _, err := store.Update("ada", func([]byte) ([]byte, error) { return nil, errors.New("no") }); err == nil {
		t.Error("what change returns is lost")
	}
	if err := store.Put("empty", nil); err != nil {
		t.Error(err)
	}
	value, found, err := store.Get("empty")
	expect(t, fmt.Sprint(value, found, err), "[] true <nil>")
	value, found, err = store.Get("nothing")
	expect(t, fmt.Sprint(value, found, err), "[] false <nil>")
	keys, err := store.List("a")
	expect(t, fmt.Sprint(keys, err), "[ada] <nil>")
	first, _ := store.Erase("ada")
	second, err := store.Erase("ada")
	expect(t, fmt.Sprint(first, second, err, len(host.kept)), "true false <nil> 1")
	expect(t, fmt.Sprint(store.Put("", nil)), `cannot keep "": a key is not empty`)
}

func TestMetricsAreRecordedByLabels(t *testing.T) {
	plugin, host := served(t, func(*Plugin) error { return nil })
	counter, err := plugin.Counter("served", "Served.")
	if err != nil {
		t.Fatal(err)
	}
	gauge, _ := plugin.Gauge("open", "Open.")
	histogram, _ := plugin.Histogram("took_seconds", "Took.", 0.1, 1)
	counter.Add(1)
	counter.Add(2, Label{"kind", "a"}, Label{"by", "b"})
	counter.Add(1, make([]Label, 20)...)
	gauge.Set(5)
	gauge.Add(-1)
	histogram.Observe(0.5)
	expect(t, fmt.Sprint(host.recorded), "map[open 0 []:-1 open 1 []:5 served 0 []:1 served 0 [{ } { } { } { } { } { } { } { } { }]:1 "+
		"served 0 [{kind a} {by b}]:2 took_seconds 2 []:0.5]")
	_, err = plugin.Gauge("not this", "")
	expect(t, fmt.Sprint(err), `"not this" is no name`)
}

func TestCapabilitiesAreDescribed(t *testing.T) {
	plugin, host := served(t, func(plugin *Plugin) error {
		plugin.AddExtension("com.example/search", map[string]any{"languages": []string{"en"}})
		plugin.AddExtension("com.example/old", nil)
		plugin.AddExperimental("drafts", nil)
		return nil
	})
	plugin.RemoveExtensions("com.example/old")
	described, _ := plugin.describe()
	_, capabilities, _ := strings.Cut(string(described), `"capabilities":`)
	expect(t, capabilities, `{"extensions":{"com.example/search":{"languages":["en"]}},"experimental":{"drafts":{}}}}`)
	expect(t, fmt.Sprint(host.changes), "1")
	_, err := newPlugin(&fakeHost{}, func(plugin *Plugin) error {
		plugin.AddExtension("io.modelcontextprotocol/tasks", nil)
		return nil
	})
	expect(t, fmt.Sprint(err), "it has a prefix that is reserved for MCP")
}

func TestCapabilitiesAreDescribedAsTheyWereAdded(t *testing.T) {
	settings := map[string]string{"language": "en"}
	plugin, _ := served(t, func(plugin *Plugin) error {
		plugin.AddExtension("com.example/search", settings)
		return nil
	})
	settings["language"] = "de"
	described, _ := plugin.describe()
	_, capabilities, _ := strings.Cut(string(described), `"capabilities":`)
	expect(t, capabilities, `{"extensions":{"com.example/search":{"language":"en"}}}}`)
}

// What an author reads of a host that is older than what the plugin needs.
func TestAnOlderHostIsNamedToWhoeverNeedsMore(t *testing.T) {
	plugin, host := served(t, func(*Plugin) error { return nil })
	host.removed = []string{InterfaceStore, InterfaceSubscriptions}
	_, err := plugin.Store()
	expect(t, fmt.Sprint(err), "the host does not have mcp.store/1, which mcp-plugin-host has from 0.1.0 on: update the "+
		`host, or ask HostHas("mcp.store/1") beforehand`)
	expect(t, fmt.Sprint(plugin.HostHas(InterfaceStore), plugin.HostHas(InterfaceMetrics)), "false true")
	plugin.OnSubscribed(func(string) {})
	if err := plugin.start(); err == nil || !strings.Contains(err.Error(), InterfaceSubscriptions) {
		t.Error(err)
	}
}
