//! The entry that sockets give bodies to: what it takes a JSON reader takes too, and its records lie within the body.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use rhizome_answers::{EncodedAnswers, EncodedObjectCache};
use rhizome_rpc::{
    Answered, BATCH_BEGIN, BATCH_END, FastMethod, FastPath, INVALID, MethodName, REQUEST, REQUEST_WORDS, ResponseCache,
};
use serde_json::Value;

const REQUESTS: usize = 50;
/// In what was taken: neither does the reader take lone surrogates, nor numbers of any size.
const ODD: [&[u8]; 4] = [b"\\ud", b"\\uD", b"e", b"E"];
/// Structures in each other that the reader takes.
const DEPTH: usize = 100;

fn path() -> FastPath {
    let method = |(index, (name, fast)): (usize, (&str, FastMethod))| MethodName {
        name: name.into(),
        index: index as u16,
        fast: Some(fast),
        is_cached: true,
        reports_reverts: index % 2 == 0,
    };
    let methods = [
        ("eth_call", FastMethod::Call),
        ("eth_getBalance", FastMethod::Balance),
        ("eth_getBlockByNumber", FastMethod::Block),
        ("eth_getBlockByHash", FastMethod::BlockByHash),
        ("eth_getTransactionReceipt", FastMethod::Receipt),
    ];
    let methods = methods.into_iter().enumerate().map(method).collect();
    let objects = EncodedAnswers::new(Arc::new(EncodedObjectCache::new(1 << 16)));
    let mut path = FastPath::new(methods, REQUESTS, objects, ResponseCache::new(1 << 16));
    path.keep_plain(1, b",\"result\":1}");
    path
}

/// Compares the records of a value, and gives what follows them.
fn check<'a>(value: &Value, body: &[u8], words: &'a [u32]) -> &'a [u32] {
    let kind = words[0] & 0xff;
    match value {
        Value::Array(elements) => {
            assert_eq!(kind, BATCH_BEGIN);
            let rest = elements.iter().fold(&words[1..], |words, element| check(element, body, words));
            assert_eq!(rest[0], BATCH_END);
            &rest[1..]
        }
        Value::Object(members) if kind == REQUEST => {
            let part = |at: usize| match &body[words[at] as usize..words[at + 1] as usize] {
                [] => Value::Null,
                text => serde_json::from_slice(text).expect("a part of JSON is JSON"),
            };
            assert_eq!(&part(2), members.get("id").unwrap_or(&Value::Null));
            assert_eq!(&part(4), members.get("params").unwrap_or(&Value::Null));
            &words[REQUEST_WORDS..]
        }
        _ => {
            assert_eq!(kind, INVALID);
            &words[1..]
        }
    }
}

fuzz_target!(|input: &[u8]| {
    let mut out = [0; 1024];
    let mut path = path();
    let Ok(answered) = path.answer(input, input.len() % 2 == 1, &mut out) else { return };
    if let Answered::Whole(_, length) = answered {
        serde_json::from_slice::<Value>(&out[..length]).expect("an answer is JSON");
    }
    path.run(&mut out);
    let text = input.strip_prefix("\u{feff}".as_bytes()).unwrap_or(input);
    let is_odd = ODD.iter().any(|odd| text.windows(odd.len()).any(|part| part == *odd));
    let is_deep = text.iter().filter(|&&byte| byte == b'[' || byte == b'{').count() > DEPTH;
    let Some(first) = serde_json::Deserializer::from_slice(text).into_iter::<Value>().next() else {
        panic!("what is taken has a value");
    };
    match first {
        Ok(value) => assert!(check(&value, input, path.records()).is_empty()),
        // Behind a number that reader takes less.
        Err(_) if !matches!(text.trim_ascii_start().first(), Some(b'[' | b'{' | b'"')) => {}
        Err(error) => assert!(is_odd || is_deep || error.to_string().contains("number out of range"), "{error}"),
    }
});
