//! The grammar of bodies, against serde_json and what is said of requests by hand.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use rhizome_rpc::{
    BATCH_BEGIN, BATCH_END, Envelope, Fault, INVALID, NO_METHOD, REQUEST, REQUEST_WORDS, Shape, UNKNOWN_METHOD,
};
use serde_json::Value;

const MAX_ENTRIES: usize = 3;

fn find(name: &[u8]) -> Option<u16> {
    [&b"eth_call"[..], b"m"].iter().position(|known| *known == name).map(|index| index as u16)
}

fn read(body: &[u8]) -> (Result<Shape, Fault>, Vec<u32>) {
    let mut envelope = Envelope::default();
    let shape = envelope.read(body, MAX_ENTRIES, find);
    (shape, envelope.words().to_vec())
}

/// Method, id and parameters of a body that is one request.
fn request(body: &str) -> (u32, &str, &str) {
    let (shape, words) = read(body.as_bytes());
    assert_eq!(shape, Ok(Shape { is_batch: false, is_refused: false }), "{body}");
    let &[REQUEST, method, id, id_end, params, params_end, ..] = &words[..] else { panic!("{body}: {words:?}") };
    (method, &body[id as usize..id_end as usize], &body[params as usize..params_end as usize])
}

#[test]
fn members_of_requests_are_found() {
    assert_eq!(request(r#"{"jsonrpc":"2.0","id":1,"method":"m","params":["a"]}"#), (1, "1", r#"["a"]"#));
    assert_eq!(
        request(" {\n\"params\" : {\"a\":[1, 2.5e-3]} ,\t\"method\":\"eth_call\"}x]"),
        (0, "", "{\"a\":[1, 2.5e-3]}")
    );
    assert_eq!(request(r#"{"id":1,"id":"x","method":"m","method":"eth_call"}"#), (0, "\"x\"", ""));
    assert_eq!(request(r#"{"i\u0064":-0.0,"m\u0065thod":"\u006d","\ud800":1}"#), (1, "-0.0", ""));
    assert_eq!(request(r#"{"id":null,"method":"none"}"#), (UNKNOWN_METHOD, "", ""));
    assert_eq!(request(r#"{"id":1,"method":"m","method":5}"#), (NO_METHOD, "1", ""));
    assert_eq!(request("\u{feff}{}"), (NO_METHOD, "", ""));
    let unknown = r#"{"method":"é\ud800"}"#;
    let (_, words) = read(unknown.as_bytes());
    assert_eq!(&unknown[words[6] as usize..words[7] as usize], r#""é\ud800""#);
}

#[test]
fn what_is_no_request_is_told_apart() {
    for body in ["1", "\"a\"x", "true ", "null,", "-1.5e+3]", r#"{"id":{},"method":"m"}"#, r#"{"id":[1]}"#] {
        assert_eq!(read(body.as_bytes()), (Ok(Shape { is_batch: false, is_refused: false }), vec![INVALID]), "{body}");
    }
    for body in [
        "",
        " ",
        "\u{feff}",
        "\u{feff}\u{feff}{}",
        "{",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{,}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "01",
        "1.",
        ".5",
        "+1",
        "1e",
        "-",
        "123abc",
        "truely",
        "tru",
        "nul",
        "\"a",
        "\"\u{1}\"",
        "\"\\x\"",
        "\"\\u12g4\"",
        "[\"\\u123\"]",
        "[1}",
        "{\"a\":[}]",
        "]",
        "\u{a0}{}",
        "[\"\t\"]",
        "/**/{}",
    ] {
        assert_eq!(read(body.as_bytes()).0, Err(Fault::Parse), "{body}");
    }
    assert_eq!(read(b"{}\xff").0, Err(Fault::Parse), "what follows is UTF-8, too");
    assert_eq!(read(b"\"\xed\xa0\x80\"").0, Err(Fault::Parse));
}

#[test]
fn depth_is_bounded_whatever_is_nested() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("{\"id\":", "}"), ("[{\"params\":", "}]")] {
        let per = open.matches(['[', '{']).count();
        let nested = |depth: usize| format!("{}1{}", open.repeat(depth / per), close.repeat(depth / per));
        assert!(read(nested(1000).as_bytes()).0.is_ok(), "{open}");
        assert_eq!(read(nested(1000 + per).as_bytes()).0, Err(Fault::TooDeep), "{open}");
    }
    let open = "[".repeat(1001);
    assert_eq!(read(open.as_bytes()).0, Err(Fault::TooDeep));
    assert_eq!(read(format!("[nope{open}").as_bytes()).0, Err(Fault::TooDeep), "by its structure alone");
    assert_eq!(read(&open.as_bytes()[1..]).0, Err(Fault::Parse));
}

#[test]
fn requests_and_elements_of_batches_are_counted() {
    let batch = |elements: &[&str]| read(format!("[{}]", elements.join(",")).as_bytes());
    let shape = |is_refused| Ok(Shape { is_batch: true, is_refused });
    assert_eq!(batch(&[]), (shape(false), vec![BATCH_BEGIN, BATCH_END]));
    assert_eq!(
        batch(&["[]", "1", "[[2]]"]),
        (
            shape(false),
            vec![
                BATCH_BEGIN,
                BATCH_BEGIN,
                BATCH_END,
                INVALID,
                BATCH_BEGIN,
                BATCH_BEGIN,
                INVALID,
                BATCH_END,
                BATCH_END,
                BATCH_END
            ]
        )
    );
    let silent = r#"{"method":"x"}"#;
    assert_eq!(batch(&[silent; MAX_ENTRIES]).0, shape(false));
    assert_eq!(batch(&[silent; MAX_ENTRIES + 1]).0, shape(true));
    assert_eq!(batch(&["{}"; 10 * MAX_ENTRIES]).0, shape(false));
    let nested = format!("[{silent},[{silent},{silent}],{{}}]");
    assert_eq!(batch(&[&nested, silent]).0, shape(true));
    for element in ["1", "{}", "[]", silent, "[[1]]", r#"{"id":[],"method":"m"}"#] {
        assert_eq!(batch(&vec![element; 10 * MAX_ENTRIES + 1]).0, Err(Fault::BatchTooLarge), "{element}");
        assert!(batch(&vec![element; 10 * MAX_ENTRIES]).0.is_ok(), "{element}");
    }
    assert_eq!(read(format!("[{}1", "1,".repeat(99)).as_bytes()).0, Err(Fault::Parse), "JSON comes first");
}

/// Pieces of JSON and of what is almost that.
fn piece() -> impl Strategy<Value = String> {
    let fixed = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        " ",
        "\"",
        "\\",
        "\n",
        "\"jsonrpc\":\"2.0\"",
        "\"id\":1",
        "\"id\":-0",
        "\"id\":01",
        "\"id\":\"a\"",
        "\"id\":null",
        "\"id\":[]",
        "\"method\":\"m\"",
        "\"method\":\"\\u006d\"",
        "\"params\":[]",
        "\"params\":[\"a\",{\"b\":[true]}]",
        "\"\\ud800\"",
        "é",
        "1",
        "1.5e3",
        "null",
        "tru",
        "\u{7f}",
        "\u{1}",
        "\u{a0}",
    ];
    prop_oneof![prop::sample::select(fixed.map(str::to_owned).to_vec()), any::<char>().prop_map(String::from)]
}

fn body() -> impl Strategy<Value = String> {
    let member = prop::sample::select(vec![
        "\"jsonrpc\":\"2.0\"",
        "\"id\":1",
        "\"id\":-0",
        "\"id\":\"a\\n\"",
        "\"method\":\"m\"",
        "\"method\":\"eth_call\"",
        "\"params\":[ \"a\" , \"b\"]",
        "\"params\":[]",
        "\"more\":{\"x\":[1,[]]}",
    ]);
    let request = prop::collection::vec(member, 0..5).prop_map(|members| format!("{{{}}}", members.join(", ")));
    let batch = prop::collection::vec(request.clone(), 0..4).prop_map(|all| format!("[{}]", all.join(" ,")));
    (prop_oneof![request, batch], prop::collection::vec((any::<prop::sample::Index>(), piece()), 0..3)).prop_map(
        |(mut body, changes)| {
            for (offset, piece) in changes {
                let offset = offset.index(body.len() + 1);
                if body.is_char_boundary(offset) {
                    body.insert_str(offset, &piece);
                }
            }
            body
        },
    )
}

/// Compares the records of a value, and gives what follows them.
fn check<'a>(value: &Value, body: &str, words: &'a [u32]) -> &'a [u32] {
    match value {
        Value::Array(elements) => {
            assert_eq!(words[0], BATCH_BEGIN);
            let rest = elements.iter().fold(&words[1..], |words, element| check(element, body, words));
            assert_eq!(rest[0], BATCH_END);
            &rest[1..]
        }
        Value::Object(members) if !matches!(members.get("id"), Some(Value::Object(_) | Value::Array(_))) => {
            assert_eq!(words[0], REQUEST);
            let text = |at: usize| &body[words[at] as usize..words[at + 1] as usize];
            let json = |text: &str| if text.is_empty() { Value::Null } else { serde_json::from_str(text).unwrap() };
            assert_eq!(json(text(2)), members.get("id").cloned().unwrap_or_default());
            assert_eq!(json(text(4)), members.get("params").cloned().unwrap_or_default());
            match members.get("method") {
                Some(Value::String(name)) => match find(name.as_bytes()) {
                    Some(index) => assert_eq!(words[1], u32::from(index)),
                    None => assert_eq!((words[1], json(text(6))), (UNKNOWN_METHOD, Value::from(name.as_str()))),
                },
                _ => assert_eq!(words[1], NO_METHOD),
            }
            &words[REQUEST_WORDS..]
        }
        _ => {
            assert_eq!(words[0], INVALID);
            &words[1..]
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn bodies_are_what_json_says(body in body()) {
        // serde_json knows no lone surrogates, and has limits of its own on numbers.
        let first = serde_json::Deserializer::from_str(&body).into_iter::<Value>().next();
        // Behind a number other things may stand there, and others here.
        let is_scalar = !body.trim_start_matches([' ', '\n', '\r', '\t']).starts_with(['[', '{', '"']);
        match (read(body.as_bytes()), first) {
            ((Ok(_), words), Some(Ok(value))) => prop_assert_eq!(check(&value, &body, &words), &[] as &[u32]),
            ((Err(fault), _), Some(Ok(_))) => prop_assert!(fault == Fault::Parse && is_scalar, "{body}"),
            ((Ok(_), _), _) => prop_assert!(is_scalar || body.contains("\\ud"), "{body}"),
            ((Err(_), _), _) => {}
        }
    }

    #[test]
    fn any_bytes_are_read(body: Vec<u8>) {
        let (shape, words) = read(&body);
        prop_assert!(shape.is_err() || !words.is_empty());
    }
}
