package mcp

import "encoding/json"

// OnSubscribed adds a function that is told that clients are subscribed to a resource of the plugin now, by the URI that is
// read: when the plugin has started, of each that they are subscribed to already, and some 50 ms after each change. Such
// functions are never called side by side. It is called before the plugin has started, in setup, say; a host that is older
// than that does not start it.
func (p *Plugin) OnSubscribed(function func(uri string)) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.onSubscribed = append(p.onSubscribed, function)
}

// OnUnsubscribed is the same for a resource that no client is subscribed to any more.
func (p *Plugin) OnUnsubscribed(function func(uri string)) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.onUnsubscribed = append(p.onUnsubscribed, function)
}

// Subscriptions are the URIs that clients are subscribed to now.
func (p *Plugin) Subscriptions() (uris []string, err error) {
	if err := p.need(InterfaceSubscriptions); err != nil {
		return nil, err
	}
	err = json.Unmarshal([]byte(p.host.subscriptions()), &uris)
	return uris, err
}

// listen is the end of start.
func (p *Plugin) listen() error {
	p.mutex.RLock()
	listens := len(p.onSubscribed)+len(p.onUnsubscribed) > 0
	p.mutex.RUnlock()
	if !listens {
		return nil
	}
	if err := p.need(InterfaceSubscriptions); err != nil {
		return err
	}
	p.host.listen()
	return nil
}

// tell is called by the host.
func (p *Plugin) tell(uri string, isSubscribed bool) {
	p.mutex.RLock()
	functions := p.onUnsubscribed
	if isSubscribed {
		functions = p.onSubscribed
	}
	p.mutex.RUnlock()
	for _, function := range functions {
		p.guarded("a function of OnSubscribed or OnUnsubscribed", func() { function(uri) })
	}
}
