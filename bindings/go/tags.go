package mcp

import (
	"fmt"
	"maps"
	"regexp"
)

// tagsKey is what a client reads the tags at, and the host.
const tagsKey = "mcp-plugin-host/tags"

var isTag = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`).MatchString

// withTags is what the author says of the component, and its tags.
func withTags(meta Meta, tags []string) (Meta, error) {
	if len(tags) == 0 {
		return meta, nil
	}
	for _, tag := range tags {
		if !isTag(tag) {
			return nil, fmt.Errorf("its tag %q is not 1 to 128 characters of A-Za-z0-9_.-", tag)
		}
	}
	all := Meta{}
	maps.Copy(all, meta)
	all[tagsKey] = tags
	return all, nil
}
