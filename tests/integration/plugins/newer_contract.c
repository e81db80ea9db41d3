/* A plugin for a contract that this host does not know. */
const void* mcp_plugin_entry_v999(void);

const void* mcp_plugin_entry_v999(void) {
  return 0;
}
