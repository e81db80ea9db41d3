//! What becomes of the methods of a plugin, as a host sees it.
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Mutex;
use std::time::Duration;

use mcp_plugin::schemars::JsonSchema;
use mcp_plugin::serde::{Deserialize, Serialize};
use mcp_plugin::serde_json::{json, Value};
use mcp_plugin::testing::Harness;
use mcp_plugin::{plugin, sys, Components, Content, Context, Elicited, Error, Host, Json, Message, Parameters};
use mcp_plugin::{Prompt, PromptArgument, Resource, Tool, Variables};

#[derive(Deserialize, JsonSchema)]
struct Wanted {
    /// Where
    place: String,
    days: Option<u8>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Point {
    x: i32,
    y: i32,
}

#[derive(Deserialize, JsonSchema)]
struct Answer {
    city: String,
    zip: Option<i64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Metric,
    Imperial,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Size {
    /// For one
    Small,
    /// For a family
    Large,
    #[schemars(title = "Too large")]
    Huge,
    Any,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Order {
    size: Size,
    /// Or none
    other: Option<Size>,
    #[serde(default)]
    unit: Option<Unit>,
    units: Vec<Unit>,
    sizes: Option<Vec<Size>>,
}

#[derive(Serialize, JsonSchema)]
struct Node {
    below: Vec<Node>,
}

struct Sample {
    host: Host,
    calls: AtomicU32,
}

#[plugin(name = "sample", version = "1.2.3", id = "org.example.sample", instructions = "Try it.", serial)]
impl Sample {
    fn new(host: &Host) -> Result<Self, Error> {
        if host.configuration()["refuse"] == true {
            return Err(Error::new("the configuration says no"));
        }
        Ok(Self { host: host.clone(), calls: AtomicU32::new(0) })
    }

    fn start(&self) {
        self.host.log(mcp_plugin::Level::Notice, "started");
    }

    #[describe]
    fn more(&self, components: &mut Components<Self>) {
        let tool = Tool::new("later").description("Known only now.").with("_meta", json!({ "a": 1 })).tags(["b"]);
        components.tool(tool, |_: &Self, arguments: Value, _: &Context| format!("given {arguments}"));
    }

    /// Adds two numbers,
    /// exactly.
    #[tool(title = "Sum", read_only, destructive = false)]
    fn add(
        &self,
        /** The first */
        a: i64,
        #[arg(default = 10)] b: i64,
    ) -> i64 {
        a + b
    }

    #[tool]
    fn forecast(&self, context: &Context, Parameters(wanted): Parameters<Wanted>) -> String {
        context.progress(1.0, None, "thinking");
        format!("{} for {} days", wanted.place, wanted.days.unwrap_or(1))
    }

    #[tool]
    fn mirror(point: Point) -> Json<Point> {
        Json(Point { x: point.y, y: point.x })
    }

    #[tool]
    fn find(&self, point: Option<Point>) -> Json<Option<Point>> {
        Json(point)
    }

    #[tool]
    fn names(&self) -> Json<Option<BTreeMap<String, i64>>> {
        Json(Some(BTreeMap::from([("a".into(), 1)])))
    }

    #[tool]
    fn roots(&self) -> Json<Vec<Node>> {
        Json(vec![Node { below: vec![] }])
    }

    #[tool]
    fn takes_all(&self, id: u8, #[serde(flatten)] others: BTreeMap<String, Value>) -> String {
        format!("{id} {others:?}")
    }

    #[tool]
    fn numbers(&self, signed: Option<i64>, unsigned: Option<u64>, within: Option<Point>, any: Option<Value>) -> String {
        let within = within.map(|Point { x, y }| (x, y));
        format!("{signed:?} {unsigned:?} {within:?} {}", any.unwrap_or_default())
    }

    #[tool]
    fn divide(&self, number: f64, by: f64) -> f64 {
        number / by
    }

    #[tool]
    fn halve(&self, number: f32) -> Json<Vec<f32>> {
        Json(vec![number / 2.0])
    }

    #[tool]
    fn several(&self) -> Vec<Content> {
        vec![Content::text("one"), Content::image([0xFF], "image/png").with("_meta", json!({ "n": 2 }))]
    }

    #[tool]
    fn parse(&self, number: String) -> Result<u32, Error> {
        Ok(number.parse::<u32>()?)
    }

    #[tool]
    fn refuse(&self) -> Result<(), Error> {
        Err(Error::invalid_params("not like this").with_data(json!({ "why": 1 })))
    }

    #[tool(name = "explode")]
    fn panics(&self, number: u32) {
        panic!("broken by {number}");
    }

    #[tool(timeout = Duration::from_millis(1500), tags = ["slow", "v1.2_b-c"])]
    fn wait(&self, context: &Context) -> Result<(), Error> {
        context.check_cancelled()
    }

    #[tool]
    fn ask(&self, context: &Context) -> Result<String, Error> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        Ok(match context.elicit("where", "Where are you?")? {
            Elicited::Accepted(Answer { city, zip }) => format!("{city} {zip:?}"),
            Elicited::Declined => "declined".into(),
            Elicited::Cancelled => "cancelled".into(),
        })
    }

    #[tool]
    fn order(&self, context: &Context) -> Result<(), Error> {
        context.elicit::<Order>("order", "What shall it be?")?;
        Ok(())
    }

    #[tool]
    fn keep_the_question(&self, context: &Context) -> &'static str {
        let _ = context.elicit::<Answer>("where", "Where are you?");
        "fine"
    }

    #[resource(uri = "sample://about", tags = ["public"], mime_type = "text/plain")]
    fn about(&self) -> &'static str {
        "a sample"
    }

    #[resource(uri = "sample://any/*")]
    fn any(&self) -> &'static str {
        "any"
    }

    #[resource(uri = "sample://bytes/{count}")]
    fn bytes(&self, #[arg(complete = Self::counts)] count: u8) -> Result<Vec<u8>, Error> {
        if count == 99 {
            return Err(Error::new("There are 98 at most."));
        }
        if count > 100 {
            return Err(Error::resource_not_found("sample://bytes"));
        }
        Ok(vec![0; count.into()])
    }

    #[resource(uri = "sample://heights/{metres}")]
    fn height(&self, metres: f64) -> String {
        metres.to_string()
    }

    fn counts(&self, typed: &str, chosen: &Variables, context: &Context) -> Result<Vec<String>, Error> {
        context.check_cancelled()?;
        let unit = chosen.get::<Option<String>>("unit")?.unwrap_or_default();
        Ok(vec![format!("{typed}0{unit}"), typed.parse::<u8>()?.to_string()])
    }

    /// Reviews code.
    #[prompt(tags = ["public"])]
    fn review(
        &self,
        /** What to review */
        code: String,
        times: Option<u32>,
        #[arg(complete = ["errors", "names", "Nothing"])] focus: Option<String>,
    ) -> Vec<Message> {
        let code = format!("{code}{}", focus.unwrap_or_default());
        vec![Message::user(format!("{code} {}", times.unwrap_or(1))), Message::assistant("Yes?")]
    }
}

fn tool(sample: &Harness<Sample>, name: &str) -> Value {
    let tools = sample.description()["tools"].take();
    tools.as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap().clone()
}

#[test]
fn a_tool_is_described_by_its_method() {
    let number = json!({ "type": "integer" });
    let expected = json!({
        "name": "add",
        "title": "Sum",
        "description": "Adds two numbers,\nexactly.",
        "annotations": { "readOnlyHint": true, "destructiveHint": false },
        "inputSchema": {
            "type": "object",
            "properties": {
                "a": { "type": "integer", "description": "The first" },
                "b": { "type": "integer", "default": 10 },
            },
            "required": ["a"],
            "additionalProperties": false,
        },
        "outputSchema": { "type": "object", "properties": { "result": number }, "required": ["result"] },
    });
    assert_eq!(tool(&Harness::new(), "add"), expected);
}

#[test]
fn a_tool_says_to_the_host_how_long_it_may_take_and_by_which_words_it_is_chosen() {
    let wait = tool(&Harness::new(), "wait");
    assert_eq!(wait["execution"], json!({ "timeoutMs": 1500 }));
    assert_eq!(wait["_meta"], json!({ "mcp-plugin-host/tags": ["slow", "v1.2_b-c"] }));
    let later = tool(&Harness::new(), "later");
    assert_eq!(later["_meta"], json!({ "a": 1, "mcp-plugin-host/tags": ["b"] }));
    for list in ["resources", "prompts"] {
        let first = Harness::<Sample>::new().description()[list][0].take();
        assert_eq!(first["_meta"], json!({ "mcp-plugin-host/tags": ["public"] }), "{list}");
    }
}

fn panics_with<T>(action: impl FnOnce() -> T + std::panic::UnwindSafe) -> String {
    let reason = std::panic::catch_unwind(|| drop(action())).expect_err("it is a mistake");
    let text = reason.downcast_ref::<String>().map(String::as_str);
    text.or(reason.downcast_ref::<&str>().copied()).expect("it has words").into()
}

#[test]
fn a_timeout_and_a_tag_that_the_host_would_refuse_are_mistakes() {
    for time in [Duration::ZERO, Duration::from_micros(999), Duration::from_secs(365 * 24 * 3600 + 1)] {
        let told = panics_with(move || Tool::new("wait").timeout(time));
        assert_eq!(told, "a timeout is from 1 ms to 365 days");
    }
    for tag in ["", "not this", "ä", &"x".repeat(129)] {
        let told = panics_with(|| Tool::new("wait").tags([tag]));
        assert_eq!(told, format!("the tag {tag:?} is not 1 to 128 characters of A-Z a-z 0-9 _ . -"));
    }
}

#[test]
fn numbers_have_their_bounds_in_words_of_json_schema() {
    let schema = tool(&Harness::new(), "mirror")["inputSchema"]["properties"]["point"]["properties"]["x"].take();
    assert_eq!(schema, json!({ "type": "integer", "minimum": i32::MIN, "maximum": i32::MAX }));
}

#[test]
fn a_float_has_the_bounds_beyond_which_it_is_infinite() {
    let schema = tool(&Harness::new(), "halve")["inputSchema"]["properties"]["number"].take();
    let most: f64 = 3.4028235e38;
    assert_eq!(schema, json!({ "type": "number", "minimum": -most, "maximum": most }));
    assert_eq!((most as f32, most.to_string()), (f32::MAX, f32::MAX.to_string()));
}

#[test]
fn a_float_keeps_the_digits_that_were_written() {
    let sample = Harness::<Sample>::new();
    let whole = sample.call_tool("divide", json!({ "number": 51.248178375505404, "by": 1.0 }));
    assert_eq!(whole.text(), "51.248178375505404");
    let half = sample.call_tool("halve", json!({ "number": 0.2 }));
    assert_eq!((half.text().as_str(), half.structured()), ("[0.1]", &json!({ "result": [0.1] })));
}

#[test]
fn a_result_that_is_not_finite_is_an_error() {
    let sample = Harness::<Sample>::new();
    for (number, told) in [(0.0, "NaN"), (1.0, "inf"), (-1.0, "-inf")] {
        let message = format!("the result is {told}, which JSON cannot say");
        let divided = sample.call_tool("divide", json!({ "number": number, "by": 0.0 }));
        assert_eq!(divided.json, json!({ "code": -32603, "message": message }));
    }
}

#[test]
fn arguments_reach_the_parameters_and_results_the_client() {
    let sample = Harness::<Sample>::new();
    let sum = sample.call_tool("add", json!({ "a": 1 }));
    assert_eq!((sum.text().as_str(), sum.structured()), ("11", &json!({ "result": 11 })));
    assert_eq!(sample.call_tool("forecast", json!({ "place": "Rome" })).text(), "Rome for 1 days");
    assert_eq!(sample.messages(), ["started", "thinking"]);
    let mirrored = sample.call_tool("mirror", json!({ "point": { "x": 1, "y": 2 } }));
    assert_eq!(mirrored.structured(), &json!({ "x": 2, "y": 1 }));
    assert_eq!(sample.call_tool("later", json!({ "a": 1 })).text(), r#"given {"a":1}"#);
    let image = json!({ "type": "image", "data": "/w==", "mimeType": "image/png", "_meta": { "n": 2 } });
    assert_eq!(sample.call_tool("several", json!({})).json["content"][1], image);
}

#[test]
fn an_integer_may_be_written_with_a_fraction() {
    let sample = Harness::<Sample>::new();
    let said = |arguments| sample.call_tool("numbers", arguments).text();
    let most = 9_007_199_254_740_992.0;
    let whole = json!({ "signed": -most, "unsigned": most, "within": { "x": 3.0, "y": -0.0 } });
    assert_eq!(said(whole), "Some(-9007199254740992) Some(9007199254740992) Some((3, 0)) null");
    assert_eq!(said(json!({ "signed": 1, "any": 2.0 })), "Some(1) None None 2.0", "what fits stays as it is");
    for no_integer in [0.5, most + 2.0, 2f64.powi(63)] {
        assert!(said(json!({ "signed": no_integer })).contains("floating point"));
    }
    assert!(said(json!({ "unsigned": -1.0 })).contains("floating point `-1.0`"), "as it was given");
    assert_eq!(sample.call_tool("forecast", json!({ "place": "Rome", "days": 3.0 })).text(), "Rome for 3 days");
}

#[test]
fn an_object_that_may_be_missing_fits_its_schema() {
    let sample = Harness::<Sample>::new();
    let nothing = json!({ "type": "object", "properties": { "result": { "type": "null" } }, "required": ["result"] });
    let integer = json!({ "type": "integer", "minimum": i32::MIN, "maximum": i32::MAX });
    let point = json!({ "type": "object", "properties": { "x": integer, "y": integer }, "required": ["x", "y"] });
    assert_eq!(tool(&sample, "find")["outputSchema"], json!({ "type": "object", "anyOf": [point, nothing] }));
    let found = sample.call_tool("find", json!({ "point": { "x": 1, "y": 2 } }));
    assert_eq!(found.structured(), &json!({ "x": 1, "y": 2 }));
    assert_eq!(sample.call_tool("find", json!({})).structured(), &json!({ "result": null }));

    let numbers = json!({ "type": "object", "additionalProperties": { "type": "integer" } });
    assert_eq!(tool(&sample, "names")["outputSchema"], json!({ "type": "object", "anyOf": [numbers, nothing] }));
    assert_eq!(sample.call_tool("names", json!({})).structured(), &json!({ "a": 1 }));
}

#[test]
fn a_reference_leads_from_the_root_of_the_schema() {
    let schema = tool(&Harness::new(), "roots")["outputSchema"].take();
    assert_eq!(schema["properties"]["result"]["type"], "array");
    assert!(schema.to_string().contains(r##""$ref":"#/$defs/Node""##), "{schema}");
    assert_eq!(schema["$defs"]["Node"]["type"], "object");
}

#[test]
fn a_misspelt_argument_is_refused_unless_a_parameter_takes_it() {
    let sample = Harness::<Sample>::new();
    let refused = sample.call_tool("add", json!({ "a": 1, "c": 2 }));
    assert_eq!((refused.kind, refused.ok()), (sys::MCP_OUTCOME_RESULT, false));
    assert!(refused.text().contains("unknown field `c`"), "{}", refused.text());
    assert_eq!(sample.call_tool("takes_all", json!({ "id": 1, "c": 2 })).text(), r#"1 {"c": Number(2)}"#);
    assert_eq!(sample.call_tool("forecast", json!({ "place": "Rome", "day": 2 })).text(), "Rome for 1 days");
}

#[test]
fn a_failure_is_a_tool_error_and_the_others_are_errors_of_the_protocol() {
    let sample = Harness::<Sample>::new();
    let failed = sample.call_tool("parse", json!({ "number": "x" }));
    assert_eq!((failed.kind, failed.ok()), (sys::MCP_OUTCOME_RESULT, false));
    assert_eq!(failed.text(), "invalid digit found in string");
    assert_eq!(failed.json["_meta"], json!({ "mcp-plugin-host/unexpected": true }));
    sample.cancel_calls();
    assert_eq!(sample.call_tool("wait", json!({})).json.get("_meta"), None);
    let refused = sample.call_tool("refuse", json!({}));
    assert_eq!(refused.kind, sys::MCP_OUTCOME_ERROR);
    assert_eq!(refused.json, json!({ "code": -32602, "message": "not like this", "data": { "why": 1 } }));
    let misfit = sample.call_tool("add", json!({ "a": "1" }));
    let told = "arguments: invalid type: string \"1\", expected i64";
    assert_eq!(misfit.json, json!({ "content": [{ "type": "text", "text": told }], "isError": true }));
    assert_eq!(sample.call_tool("nothing", json!({})).text(), "Unknown tool: nothing");
    assert_eq!(sample.invoke("tools/list", json!({})).json["code"], -32601);
}

#[test]
fn a_panic_is_an_error_of_its_call() {
    let sample = Harness::<Sample>::new();
    let panicked = sample.call_tool("explode", json!({ "number": 7 }));
    assert_eq!(panicked.json, json!({ "code": -32603, "message": "The plugin panicked: broken by 7" }));
    assert_eq!(sample.call_tool("add", json!({ "a": 1 })).text(), "11");
}

#[test]
fn a_call_that_is_cancelled_can_say_why() {
    let sample = Harness::<Sample>::new();
    assert!(sample.call_tool("wait", json!({})).ok());
    sample.cancel_calls();
    assert_eq!(sample.call_tool("wait", json!({})).text(), "The call was cancelled by the client.");
}

#[test]
fn a_question_leaves_the_method_which_is_run_again_with_the_answer() {
    let sample = Harness::<Sample>::new();
    let answered = |answer: Value| {
        let ask = |request: &Value| {
            let city = json!({ "type": "string" });
            let zip = json!({ "type": "integer" });
            let schema = json!({
                "type": "object", "properties": { "city": city, "zip": zip }, "required": ["city"]
            });
            let params = json!({ "mode": "form", "message": "Where are you?", "requestedSchema": schema });
            assert_eq!(request, &json!({ "method": "elicitation/create", "params": params }));
            answer.clone()
        };
        sample.call_tool_with("ask", json!({}), ask).text()
    };
    assert_eq!(answered(json!({ "action": "accept", "content": { "city": "Rome" } })), "Rome None");
    assert_eq!(answered(json!({ "action": "accept", "content": { "city": "Rome", "zip": 1 } })), "Rome Some(1)");
    assert_eq!(answered(json!({ "action": "accept", "content": { "city": "Rome", "zip": 2.0 } })), "Rome Some(2)");
    assert_eq!(answered(json!({ "action": "decline" })), "declined");
    assert_eq!(answered(json!({ "action": "cancel" })), "cancelled");
    assert!(answered(json!({ "action": "accept", "content": {} })).contains("missing field `city`"));
    assert!(sample.call_tool("keep_the_question", json!({})).text().contains("pass it on with `?`"));
}

#[test]
fn a_form_has_fields_of_one_type_and_choices_with_titles() {
    let outcome = Harness::<Sample>::new().call_tool("order", json!({}));
    let form = &outcome.json["inputRequests"]["order"]["params"]["requestedSchema"];
    let sizes = json!([
        { "const": "any", "title": "any" },
        { "const": "small", "title": "For one" },
        { "const": "large", "title": "For a family" },
        { "const": "huge", "title": "Too large" },
    ]);
    let units = json!({ "type": "string", "enum": ["metric", "imperial"] });
    let expected = json!({
        "size": { "type": "string", "oneOf": sizes },
        "other": { "type": "string", "oneOf": sizes, "description": "Or none" },
        "unit": units,
        "units": { "type": "array", "items": units },
        "sizes": { "type": "array", "items": { "anyOf": sizes } },
    });
    assert_eq!(form["properties"], expected);
    assert_eq!(form["required"], json!(["size", "units"]));
}

#[test]
fn resources_are_read_by_their_uri_and_by_the_variables_of_a_template() {
    let sample = Harness::<Sample>::new();
    let about = json!([{ "uri": "sample://about", "mimeType": "text/plain", "text": "a sample" }]);
    assert_eq!(sample.read("sample://about").json["contents"], about);
    let bytes = |count| sample.read_template("sample://bytes/{count}", [("count", count)]).json;
    assert_eq!(bytes("3")["contents"], json!([{ "uri": "sample://bytes/3", "blob": "AAAA" }]));
    assert_eq!(bytes("x")["message"], "\"count\" must be an integer within bounds, not \"x\"");
    for other_spelling in ["+3", "03", " 3"] {
        let words = format!("\"count\" must be an integer within bounds, not \"{other_spelling}\"");
        assert_eq!(bytes(other_spelling)["message"], words);
    }
    assert_eq!((&bytes("300")["code"], &bytes("101")["code"]), (&json!(-32602), &json!(-32002)));
    assert_eq!(sample.read("sample://nothing").json["code"], -32002);
    assert_eq!(bytes("99"), json!({ "code": 1, "message": "There are 98 at most." }), "meant for whoever asks");
}

#[test]
fn a_number_is_written_as_in_json() {
    let sample = Harness::<Sample>::new();
    let said = |metres| sample.read_template("sample://heights/{metres}", [("metres", metres)]);
    assert_eq!(said("-1.5e1").text(), "-15");
    for other in ["NaN", "inf", "-infinity", "1e400", "+1", ".5", "5.", "1_000", " 1", ""] {
        let words = format!("\"metres\" must be a number, not \"{other}\"");
        assert_eq!(said(other).json, json!({ "code": -32602, "message": words }));
    }
}

#[test]
fn a_wildcard_makes_a_template() {
    let sample = Harness::<Sample>::new();
    let templates = sample.description()["resourceTemplates"].take();
    assert_eq!(templates[0], json!({ "uriTemplate": "sample://any/*", "name": "any" }));
    assert_eq!(sample.read_template("sample://any/*", [("*", "a/b")]).text(), "any");

    let mut components = Components::<Sample>::default();
    let handler = |_: &Sample, texts: Variables, _: &Context| texts.get::<String>("*");
    components.resource(Resource::new("a://*/{name*}", "a"), handler).complete_from("*", ["x"]);
    let told = panics_with(|| {
        let mut components = Components::<Sample>::default();
        components.resource(Resource::new("a://{name*}", "a"), handler).complete_from("*", ["x"]);
    });
    assert_eq!(told, "\"a://{name*}\" has no argument or variable \"*\" to complete");
}

#[test]
fn a_prompt_has_the_arguments_of_its_method() {
    let sample = Harness::<Sample>::new();
    let code = json!({ "name": "code", "description": "What to review", "required": true });
    let times = json!({ "name": "times", "required": false });
    let focus = json!({ "name": "focus", "required": false });
    let meta = json!({ "mcp-plugin-host/tags": ["public"] });
    let arguments = [code, times, focus];
    let prompt = json!({ "name": "review", "description": "Reviews code.", "_meta": meta, "arguments": arguments });
    assert_eq!(sample.description()["prompts"], json!([prompt]));
    assert_eq!(sample.get_prompt("review", [("code", "x = 1"), ("times", "2")]).text(), "x = 1 2\nYes?");
    assert_eq!(sample.get_prompt("review", []).json["code"], -32602);
}

#[test]
fn values_are_offered_for_an_argument_and_for_a_variable() {
    let sample = Harness::<Sample>::new();
    assert_eq!(sample.description()["completions"], true);
    let offered = |argument, typed| sample.complete_prompt("review", argument, typed, []);
    assert_eq!(offered("focus", "N").values(), ["names", "Nothing"]);
    assert!(offered("focus", "ä").values().is_empty() && offered("focus", "namesake").values().is_empty());
    assert_eq!(offered("code", "").json, json!({ "completion": { "values": [] } }), "of which nothing is known");
    let counted = |typed| sample.complete_template("sample://bytes/{count}", "count", typed, [("unit", "k")]);
    assert_eq!(counted("1").values(), ["10k", "1"]);
    let failed = counted("x");
    assert_eq!((failed.kind, &failed.json["code"]), (sys::MCP_OUTCOME_ERROR, &json!(-32603)));
    assert_eq!(failed.text(), "invalid digit found in string");
}

#[test]
fn only_what_is_there_can_be_completed() {
    let template = "a://{+path}/{name*}{#part}{?words,limit}";
    let complete = |variable: &str| {
        let mut components = Components::<Sample>::default();
        let resource = Resource::new(template, "a");
        components.resource(resource, |_: &Sample, _: Variables, _: &Context| "").complete_from(variable, ["x"]);
    };
    for variable in ["path", "name", "part", "words", "limit"] {
        complete(variable);
    }
    let told = panics_with(|| complete("nothing"));
    assert_eq!(told, format!("{template:?} has no argument or variable \"nothing\" to complete"));
}

#[test]
fn a_plugin_that_refuses_says_why() {
    let refused = std::panic::catch_unwind(|| Harness::<Sample>::with_configuration(json!({ "refuse": true })));
    let reason = refused.err().and_then(|reason| reason.downcast::<String>().ok());
    assert_eq!(reason.as_deref().map(String::as_str), Some("the configuration says no"));
}

#[test]
fn a_host_that_is_kept_does_nothing_when_the_plugin_could_not_be_made() {
    static HOST: Mutex<Option<Host>> = Mutex::new(None);
    struct Refusing;

    impl mcp_plugin::Plugin for Refusing {
        const INFO: mcp_plugin::Info = mcp_plugin::Info {
            name: "refusing",
            version: "1",
            id: "",
            vendor: "",
            description: "",
            url: "",
            serial: false,
            unloads: false,
        };
        fn create(host: &Host) -> Result<Self, Error> {
            *HOST.lock().unwrap() = Some(host.clone());
            Err(Error::new("not today"))
        }
        fn describe(&self, _: &mut Components<Self>) -> Result<(), Error> {
            Ok(())
        }
    }
    assert!(std::panic::catch_unwind(|| Harness::<Refusing>::with_configuration(json!({ "a": 1 }))).is_err());
    let host = HOST.lock().unwrap().take().unwrap();
    assert_eq!(host.configuration(), json!({}));
}

#[test]
fn a_host_that_is_kept_does_nothing_when_the_plugin_has_ended() {
    static HOST: Mutex<Option<Host>> = Mutex::new(None);
    struct Keeping;

    // Written by hand, because a library has one entry symbol.
    impl mcp_plugin::Plugin for Keeping {
        const INFO: mcp_plugin::Info = mcp_plugin::Info {
            name: "keeping",
            version: "1",
            id: "",
            vendor: "",
            description: "",
            url: "",
            serial: false,
            unloads: false,
        };
        fn create(host: &Host) -> Result<Self, Error> {
            *HOST.lock().unwrap() = Some(host.clone());
            Ok(Self)
        }
        fn describe(&self, _: &mut Components<Self>) -> Result<(), Error> {
            Ok(())
        }
    }
    drop(Harness::<Keeping>::with_configuration(json!({ "a": 1 })));
    let host = HOST.lock().unwrap().take().unwrap();
    host.log(mcp_plugin::Level::Info, "too late");
    host.components_changed();
    assert_eq!(host.configuration(), json!({}));
    let told = host.store().err().expect("nothing is kept any more");
    assert_eq!(told.message(), "mcp.store/1 cannot be asked any more: the plugin has ended");
}

#[test]
fn what_was_described_before_is_served_until_the_description_after_the_next() {
    struct Changing(AtomicU32);

    impl mcp_plugin::Plugin for Changing {
        const INFO: mcp_plugin::Info = mcp_plugin::Info { name: "changing", ..<Sample as mcp_plugin::Plugin>::INFO };
        fn create(_: &Host) -> Result<Self, Error> {
            Ok(Self(AtomicU32::new(0)))
        }
        fn describe(&self, components: &mut Components<Self>) -> Result<(), Error> {
            let name = format!("version{}", self.0.fetch_add(1, Ordering::Relaxed));
            let text = name.clone();
            components.tool(Tool::new(&name), move |_: &Self, _: Value, _: &Context| text.clone());
            let values = [name.clone()];
            let prompt = Prompt::new(&name).argument(PromptArgument::new("a", "", false));
            components.prompt(prompt, |_: &Self, _: Variables, _: &Context| String::new()).complete_from("a", values);
            Ok(())
        }
    }
    let plugin = Harness::<Changing>::new();
    let called = |name| plugin.call_tool(name, json!({})).text();
    plugin.description();
    assert_eq!([called("version0"), called("version1")], ["version0", "version1"], "the host may refuse the newer");
    assert_eq!(plugin.complete_prompt("version0", "a", "", []).values(), ["version0"]);
    plugin.description();
    assert_eq!(called("version0"), "Unknown tool: version0");
    assert!(plugin.complete_prompt("version0", "a", "", []).values().is_empty());
}
