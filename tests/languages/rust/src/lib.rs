//! The tutorial plugin in Rust.
use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::Duration;

use mcp_plugin::{plugin, Content, Context, Elicited, Error, Host, Json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
struct Configuration {
    #[serde(default = "hi")]
    greeting: String,
}

fn hi() -> String {
    "Hi".into()
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Style {
    Casual,
    Formal,
}

#[derive(Deserialize, JsonSchema)]
struct Person {
    name: String,
    age: u32,
    email: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Registered {
    name: String,
    age: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    adult: bool,
}

#[derive(Deserialize, JsonSchema)]
struct Named {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Break {
    Panic,
    Crash,
}

struct Tutorial {
    configuration: Configuration,
}

#[plugin(name = "tutorial", version = "1.0.0")]
impl Tutorial {
    fn new(host: &Host) -> Result<Self, Error> {
        Ok(Self { configuration: host.configuration_as()? })
    }

    /// Adds two integers.
    #[tool(read_only)]
    fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }

    /// Greets somebody.
    #[tool]
    fn greet(&self, #[schemars(length(min = 1))] name: String, #[arg(default = Style::Casual)] style: Style) -> String {
        match style {
            Style::Casual => format!("{}, {name}!", self.configuration.greeting),
            Style::Formal => format!("Good day, {name}."),
        }
    }

    /// Says how large something is.
    #[tool]
    fn resize(
        &self,
        #[schemars(range(min = 1, max = 2000))] width: u32,
        #[schemars(range(min = 1, max = 2000))]
        #[arg(default = 600)]
        height: u32,
    ) -> String {
        format!("{width}x{height}")
    }

    /// Registers a person.
    #[tool]
    fn register_person(&self, person: Person) -> Json<Registered> {
        let Person { name, age, email } = person;
        Json(Registered { name, age, email, adult: age >= 18 })
    }

    /// Returns a picture.
    #[tool]
    fn picture(&self) -> Content {
        Content::image(b"\x89PNG\r\n\x1a\n", "image/png")
    }

    /// Counts, slowly if wanted.
    #[tool]
    fn count(
        &self,
        #[schemars(range(min = 1, max = 100_000))] to: u32,
        /// The pause after each step
        #[schemars(range(max = 1000))]
        #[arg(default = 0)]
        milliseconds: u64,
        context: &Context,
    ) -> Result<String, Error> {
        context.info(format!("counting to {to}"));
        for i in 1..=to {
            context.progress(i.into(), f64::from(to), format!("{i} of {to}"));
            context.sleep(Duration::from_millis(milliseconds)).map_err(|_| Error::new("cancelled"))?;
        }
        Ok(format!("counted to {to}"))
    }

    /// Takes longer than it may.
    #[tool(timeout = Duration::from_millis(300), tags = ["slow"])]
    fn slow_tool(&self, context: &Context) -> Result<(), Error> {
        context.sleep(Duration::from_secs(5)).map_err(|_| Error::new("cancelled"))
    }

    /// Fails.
    #[tool]
    fn fail(&self, message: String) -> Result<(), Error> {
        Err(Error::new(message))
    }

    /// Asks for a name.
    #[tool]
    fn ask_name(&self, context: &Context) -> Result<String, Error> {
        Ok(match context.elicit("name", "What is your name?")? {
            Elicited::Accepted(Named { name }) => format!("Hello, {name}!"),
            Elicited::Declined => "You declined.".into(),
            Elicited::Cancelled => "You cancelled.".into(),
        })
    }

    /// Breaks.
    #[tool]
    fn r#break(&self, how: Break) {
        match how {
            Break::Panic => panic!("broken"),
            Break::Crash => crash(),
        }
    }

    /// Says who calls.
    #[tool]
    fn caller(&self, context: &Context) -> String {
        let call = context.call_context();
        format!("{} {}", call.protocol_version, call.client.unwrap_or_default().name)
    }

    /// The version of this plugin.
    #[resource(uri = "tutorial://version", mime_type = "text/plain")]
    fn version(&self) -> &'static str {
        "1.0.0"
    }

    /// The square of an integer.
    #[resource(uri = "tutorial://squares/{n}", mime_type = "text/plain")]
    fn square(&self, n: i64) -> String {
        (n * n).to_string()
    }

    /// Asks for a review.
    #[prompt]
    fn review(
        &self,
        /** What to review */
        code: String,
    ) -> String {
        format!("Please review:\n{code}")
    }

    /// Asks for a greeting.
    #[prompt]
    fn greeting(&self, #[arg(complete = ["english", "finnish", "french", "german"])] language: String) -> String {
        format!("Greet me in {language}.")
    }
}

// What an author would never do.
#[allow(unsafe_code)]
fn crash() {
    static NOWHERE: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
    unsafe { NOWHERE.load(Ordering::Relaxed).write_volatile(1) };
}
