//! The scanner of requests: what it takes, a JSON reader takes too, and reads as the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rhizome_rpc::Scanner;
use serde_json::Value;

fuzz_target!(|input: &[u8]| {
    let mut scanner = Scanner::new(input);
    let Some(request) = scanner.request() else { return };
    if scanner.token().is_some() {
        return;
    }
    let oracle: Value = serde_json::from_slice(input).expect("what is scanned is JSON");
    let id: Value = serde_json::from_slice(request.id).expect("the id is JSON");
    assert_eq!(Some(&id), oracle.get("id"));
    assert_eq!(oracle.get("method").and_then(Value::as_str).map(str::as_bytes), Some(request.method));
    let params: Vec<&[u8]> = match oracle.get("params") {
        None => Vec::new(),
        Some(params) => params
            .as_array()
            .expect("params are positional")
            .iter()
            .map(|param| param.as_str().expect("params are strings").as_bytes())
            .collect(),
    };
    assert_eq!(params, request.params.texts());
});
