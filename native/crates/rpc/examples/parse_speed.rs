//! Time that the grammar takes for bodies of usual sizes: `cargo run --release -p rhizome-rpc --example parse_speed`.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::Instant;

use rhizome_rpc::Envelope;

const ROUNDS: usize = 15;
const BATCH: usize = 50;

fn main() {
    let balance = r#"{"jsonrpc":"2.0","id":1234,"method":"eth_getBalance","params":["0xCD2a3d9f938e13Cd947eC05ABC7fe734df8DD826","latest"]}"#;
    let batch = format!("[{}]", vec![balance; BATCH].join(","));
    let data = "ab".repeat(50_000);
    let call = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{{"to":"0xCD2a3d9f938e13Cd947eC05ABC7fe734df8DD826","data":"0x{data}"}},"latest"]}}"#
    );
    for (name, body, times) in
        [("balance", balance, 200_000), ("batch of 50", &batch, 5000), ("long call", &call, 5000)]
    {
        println!("{name}, {} bytes: {:.0} ns", body.len(), fastest(body.as_bytes(), times));
    }
}

/// Nanoseconds of the fastest round.
fn fastest(body: &[u8], times: usize) -> f64 {
    let mut envelope = Envelope::default();
    let mut round = || {
        let start = Instant::now();
        for _ in 0..times {
            let shape = envelope.read(black_box(body), BATCH, |name| (name == b"eth_getBalance").then_some(1));
            let _ = black_box((shape, envelope.words().len()));
        }
        start.elapsed().as_nanos() as f64 / times as f64
    };
    (0..ROUNDS).map(|_| round()).fold(f64::INFINITY, f64::min)
}
