//! A plugin whose parameter is no variable of its URI.
use std::panic::catch_unwind;

use mcp_plugin::plugin;
use mcp_plugin::testing::Harness;

#[derive(Default)]
struct Misspelt;

#[plugin(name = "misspelt", version = "1.0.0")]
impl Misspelt {
    #[resource(uri = "sample://{number}")]
    fn one(&self, nubmer: Option<u8>) -> String {
        format!("{nubmer:?}")
    }
}

#[test]
fn a_parameter_that_is_no_variable_of_its_uri_refuses_the_plugin() {
    let reason = catch_unwind(Harness::<Misspelt>::new).err().expect("it is refused");
    let told = reason.downcast_ref::<String>().expect("it has words");
    let words = "the parameter \"nubmer\" is no variable of its resource's URI \"sample://{number}\"";
    assert!(told.contains(words), "{told}");
}
