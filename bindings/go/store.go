package mcp

import (
	"encoding/json"
	"errors"
)

// Store keeps the small values of a plugin: they outlive the instance, its process and the host, and all instances of one
// plugin have the same ones. Any goroutine may use it, until the plugin is stopped. A method returns when what it has done
// will last, or an error that says why it cannot.
//
// Keys are texts of 1 to 256 bytes without control characters, values any bytes, 32768 at most.
type Store struct {
	host host
}

// Entry is a value, and the number that it has until the next one is put, which has another.
type Entry struct {
	Value    []byte
	Revision uint64
}

// Store is that of the plugin; an error if the host is older than that.
func (p *Plugin) Store() (*Store, error) {
	if err := p.need(InterfaceStore); err != nil {
		return nil, err
	}
	return &Store{p.host}, nil
}

// Get returns the value; found is false if there is no such key.
func (s *Store) Get(key string) (value []byte, found bool, err error) {
	entry, err := s.Find(key)
	if entry == nil {
		return nil, false, err
	}
	return entry.Value, true, nil
}

// Put puts the value in place of what is there.
func (s *Store) Put(key string, value []byte) error {
	_, err := s.PutIf(key, value, storeAny)
	return err
}

// Erase takes the key away; found is false if there was none.
func (s *Store) Erase(key string) (found bool, err error) {
	answer := s.host.storeErase(key)
	return answer.status == storeDone, answer.err("erase", key)
}

// List returns the keys that begin so, in the order of their bytes.
func (s *Store) List(prefix string) (keys []string, err error) {
	answer := s.host.storeList(prefix)
	if err := answer.err("list", prefix); err != nil {
		return nil, err
	}
	err = json.Unmarshal(answer.value, &keys)
	return keys, err
}

// Update puts what change makes of the value, or of nil where there is none, and returns it. Nothing that others put
// meanwhile is lost: change is called again then. Its error is that of Update.
func (s *Store) Update(key string, change func(before []byte) ([]byte, error)) ([]byte, error) {
	for {
		entry, err := s.Find(key)
		if err != nil {
			return nil, err
		}
		if entry == nil {
			entry = &Entry{}
		}
		next, err := change(entry.Value)
		if err != nil {
			return nil, err
		}
		if isPut, err := s.PutIf(key, next, entry.Revision); isPut || err != nil {
			return next, err
		}
	}
}

// Find returns the value with its revision, or nil if there is no such key.
func (s *Store) Find(key string) (*Entry, error) {
	answer := s.host.storeGet(key)
	if err := answer.err("read", key); err != nil || answer.status == storeAbsent {
		return nil, err
	}
	return &Entry{answer.value, answer.revision}, nil
}

// PutIf puts the value if the key still has this revision; 0: if there is no such key. isPut is false if it has another.
func (s *Store) PutIf(key string, value []byte, revision uint64) (isPut bool, err error) {
	answer := s.host.storePut(key, value, revision)
	return answer.status == storeDone, answer.err("keep", key)
}

func (a storeAnswer) err(what, key string) error {
	switch a.status {
	case storeDone, storeAbsent, storeChanged:
		return nil
	}
	return errors.New("cannot " + what + " \"" + key + "\": " + a.why)
}
