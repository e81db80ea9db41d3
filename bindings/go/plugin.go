package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Implementation is what a plugin says of itself. Name and Version are needed; the rest is for people and their lists.
type Implementation struct {
	Name        string // 1 to 128 characters of A-Z a-z 0-9 _ . -
	Version     string // for people: "1.4.2"
	ID          string // the same for all versions and no other plugin's: "org.example.notes"
	Vendor      string
	Description string
	WebsiteURL  string
	Serial      bool // handlers are never called side by side
}

var exported struct {
	about    Implementation
	setup    func(*Plugin) error
	tellOnce sync.Once
	twice    bool
}

// Export makes the program a plugin. It is called once, in a function init of package main. setup says what the plugin
// exports, once for each instance; it opens nothing, because a host also calls it only to look at the plugin. Its error
// is why the plugin is refused.
func Export(about *Implementation, setup func(*Plugin) error) {
	exported.twice = exported.setup != nil
	exported.about, exported.setup = *about, setup
}

// Plugin is one instance of a plugin, from setup until its functions of OnStop have run. Its methods, and the functions
// that add components, may be called on any goroutine.
type Plugin struct {
	host    host
	context context.Context // until it is stopped
	end     context.CancelFunc

	mutex                        sync.RWMutex
	onStart                      []func() error
	onStop                       []func()
	onSubscribed, onUnsubscribed []func(uri string)
	served                       bool // changes are to be told to the host
	instructions                 string
	capabilities                 object
	components                              // as they are
	described                    components // as the host has last read them, by which it calls
	description                  []byte     // that it has read then
	before                       components // as it had read them before that said something else
	err                          error      // what setup did wrong first

	calls calls
}

type components struct {
	tools     registry[*toolRecord]
	resources registry[*resourceRecord]
	templates registry[*resourceRecord]
	prompts   registry[*promptRecord]
}

func (c *components) clone() components {
	return components{c.tools.clone(), c.resources.clone(), c.templates.clone(), c.prompts.clone()}
}

// registry holds components by what they are named by, in the order in which they were added.
type registry[Record any] struct {
	names  []string
	byName map[string]Record
}

// add replaces what has the name, in its place, if it may. Returns whether the record is there.
func (r *registry[Record]) add(name string, record Record, mayReplace bool) bool {
	_, has := r.byName[name]
	if has && !mayReplace {
		return false
	}
	if r.byName == nil {
		r.byName = map[string]Record{}
	}
	if !has {
		r.names = append(r.names, name)
	}
	r.byName[name] = record
	return true
}

func (r *registry[Record]) clone() registry[Record] {
	return registry[Record]{slices.Clone(r.names), maps.Clone(r.byName)}
}

func (r *registry[Record]) remove(names []string) {
	for _, name := range names {
		delete(r.byName, name)
	}
	r.names = slices.DeleteFunc(r.names, func(name string) bool { return slices.Contains(names, name) })
}

func newPlugin(host host, setup func(*Plugin) error) (plugin *Plugin, err error) {
	if setup == nil {
		return nil, errNotExported
	}
	if exported.twice {
		return nil, errors.New("mcp.Export is called twice: a library is one plugin")
	}
	made := &Plugin{host: host}
	made.context, made.end = context.WithCancel(context.Background())
	defer func() {
		if what := recover(); what != nil {
			err = fmt.Errorf("its setup panicked: %v", what)
			made.Log(LevelError, panicText(what))
		}
		if err != nil {
			made.end()
		}
	}()
	if err := setup(made); err != nil {
		return nil, err
	}
	return made, made.err
}

// Context is done when the plugin is stopped, so that goroutines of its own know it.
func (p *Plugin) Context() context.Context { return p.context }

// SetInstructions is what the model is told about the plugin.
func (p *Plugin) SetInstructions(text string) {
	p.change(func() error { p.instructions = text; return nil })
}

// OnStart adds a function that opens what the plugin needs, before it is served. Its error is why it is not.
func (p *Plugin) OnStart(function func() error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.onStart = append(p.onStart, function)
}

// OnStop adds a function that runs when no call does any more; the last one added runs first. After it nothing of the
// plugin may use the Plugin: wait for goroutines of your own.
func (p *Plugin) OnStop(function func()) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.onStop = append(p.onStop, function)
}

// Log writes to the host's log, under the plugin's name.
func (p *Plugin) Log(level Level, message string) { p.host.log(0, level, message) }

// Configuration reads NAME.json, which lies beside NAME.so, into the struct or map that is pointed to. It is {} where there
// is no such file, and never changes during the life of an instance.
func (p *Plugin) Configuration(into any) error {
	text := p.host.configuration()
	if text == "" {
		return nil
	}
	if err := unmarshal([]byte(text), into); err != nil {
		return fmt.Errorf("the configuration is not what it should be: %w", err)
	}
	return nil
}

// DataDirectory is a folder of the plugin's own that outlives its versions.
func (p *Plugin) DataDirectory() (string, error) {
	if path := p.host.dataDirectory(); path != "" {
		return path, nil
	}
	return "", errors.New("the data directory cannot be made; the host's log says why")
}

// BundleDirectory is where the files of the plugin's bundle can be read, or empty if its library lies alone. What the
// plugin writes belongs into its DataDirectory.
func (p *Plugin) BundleDirectory() string { return p.host.bundleDirectory() }

// ResourceUpdated tells the clients that subscribed to the resource that its content has changed.
func (p *Plugin) ResourceUpdated(uri string) { p.host.resourceUpdated(uri) }

// RemoveTools, and the like, take components away while the plugin runs. Until the host has read the change after this
// one, it may call what there was. To replace one, add it anew: between a removal and an addition there would be none.
func (p *Plugin) RemoveTools(names ...string) {
	p.change(func() error { p.tools.remove(names); return nil })
}

func (p *Plugin) RemoveResources(uris ...string) {
	p.change(func() error { p.resources.remove(uris); return nil })
}

func (p *Plugin) RemoveResourceTemplates(uriTemplates ...string) {
	p.change(func() error { p.templates.remove(uriTemplates); return nil })
}

func (p *Plugin) RemovePrompts(names ...string) {
	p.change(func() error { p.prompts.remove(names); return nil })
}

// change is how components change: what is wrong in setup refuses the plugin, and later is logged.
func (p *Plugin) change(make func() error) {
	served, err := p.changed(make)
	switch {
	case err != nil && served:
		p.Log(LevelError, err.Error())
	case served:
		p.host.componentsChanged()
	}
}

func (p *Plugin) changed(make func() error) (served bool, err error) {
	p.mutex.Lock()
	defer p.mutex.Unlock() // also if it panics
	err = make()
	if err != nil && !p.served && p.err == nil {
		p.err = err
	}
	return p.served, err
}

func (p *Plugin) describe() ([]byte, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.served = true
	description := object{
		{"tools", descriptions(p.tools)},
		{"resources", descriptions(p.resources)},
		{"resourceTemplates", descriptions(p.templates)},
		{"prompts", descriptions(p.prompts)},
	}
	if p.instructions != "" {
		description = append(description, member{"instructions", p.instructions})
	}
	if p.completes() {
		description = append(description, member{"completions", true})
	}
	if p.capabilities != nil {
		description = append(description, member{"capabilities", p.capabilities})
	}
	text, err := marshal(description)
	if err == nil && !bytes.Equal(text, p.description) { // it may be read once more as it is
		p.before, p.description = p.described, text
	}
	if err == nil {
		p.described = p.components.clone()
	}
	return text, err
}

func descriptions[Record interface{ description() json.RawMessage }](records registry[Record]) []json.RawMessage {
	all := []json.RawMessage{}
	for _, name := range records.names {
		all = append(all, records.byName[name].description())
	}
	return all
}

func (p *Plugin) start() (err error) {
	defer func() {
		if what := recover(); what != nil {
			err = fmt.Errorf("a function of OnStart panicked: %v", what)
			p.Log(LevelError, panicText(what))
		}
	}()
	p.mutex.RLock()
	onStart := p.onStart
	p.mutex.RUnlock()
	for _, function := range onStart {
		if err := function(); err != nil {
			return err
		}
	}
	return p.listen()
}

func (p *Plugin) stop() {
	p.end()
	p.mutex.RLock()
	onStop := p.onStop
	p.mutex.RUnlock()
	for i := range onStop {
		p.guarded("a function of OnStop", onStop[len(onStop)-1-i])
	}
}

func (p *Plugin) guarded(name string, function func()) {
	defer func() {
		if what := recover(); what != nil {
			p.Log(LevelError, name+": "+panicText(what))
		}
	}()
	function()
}
