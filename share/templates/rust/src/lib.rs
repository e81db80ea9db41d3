use mcp_plugin::plugin;

#[derive(Default)]
struct Greeter;

#[plugin]
impl Greeter {
    /// Greets somebody.
    #[tool(read_only)]
    fn hello(
        &self,
        /// Whom to greet
        #[schemars(length(min = 1))]
        name: String,
    ) -> String {
        format!("Hello, {name}!")
    }
}

// Calls the tools without a host and without loading a library.
#[cfg(test)]
mod tests {
    use mcp_plugin::serde_json::json;
    use mcp_plugin::testing::Harness;

    use super::Greeter;

    #[test]
    fn hello_greets_by_name() {
        let greeting = Harness::<Greeter>::new().call_tool("hello", json!({ "name": "Ada" }));
        assert!(greeting.ok());
        assert_eq!(greeting.text(), "Hello, Ada!");
    }
}
