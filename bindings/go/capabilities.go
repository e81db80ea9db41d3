package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// AddExtension adds an extension to what the server says that it can do. Its name is PREFIX/NAME, with a domain of yours in
// reverse; settings are a struct or a map, or nil. What the host refuses of it is an error of setup, and later logged.
func (p *Plugin) AddExtension(name string, settings any) {
	p.addCapability("extensions", name, settings)
}

// AddExperimental adds what is no extension.
func (p *Plugin) AddExperimental(name string, settings any) {
	p.addCapability("experimental", name, settings)
}

// RemoveExtensions takes some away while the plugin runs.
func (p *Plugin) RemoveExtensions(names ...string) { p.removeCapabilities("extensions", names) }

// RemoveExperimental does the same for what is no extension.
func (p *Plugin) RemoveExperimental(names ...string) { p.removeCapabilities("experimental", names) }

func (p *Plugin) addCapability(group, name string, settings any) {
	p.change(func() error {
		if err := p.need(InterfaceCapabilities); err != nil {
			return err
		}
		if settings == nil {
			settings = object{}
		}
		text, err := marshal(settings)
		if err != nil {
			return fmt.Errorf("the settings of %q have no form in JSON: %w", name, err)
		}
		written := json.RawMessage(text) // now, so that the author may change them later
		alone, err := marshal(object{{group, object{{name, written}}}})
		if err != nil {
			return err
		}
		if isTaken, why := p.host.checkCapabilities(string(alone)); !isTaken {
			return errors.New(why)
		}
		members, _ := p.capabilities.find(group).(object)
		members.set(name, written)
		p.capabilities.set(group, members)
		return nil
	})
}

func (p *Plugin) removeCapabilities(group string, names []string) {
	p.change(func() error {
		members, _ := p.capabilities.find(group).(object)
		p.capabilities.set(group, slices.DeleteFunc(members, func(each member) bool { return slices.Contains(names, each.name) }))
		return nil
	})
}
