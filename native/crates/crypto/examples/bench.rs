//! Times the hot paths of this crate: `cargo run --release -p rhizome-crypto --example bench`.
//! Prints one line per benchmark: name and nanoseconds per operation, the best of several rounds.

use std::hint::black_box;
use std::time::Instant;

use rhizome_crypto::{keccak256, keccak256_batch, recover_address, recover_addresses, sha256d, sign};
use rhizome_primitives::B256;

const ROUNDS: usize = 7;

/// Runs `work`, which does `operations` of them, and prints what one takes.
fn bench(name: &str, operations: usize, mut work: impl FnMut()) {
    let round = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed().as_nanos() as f64 / operations as f64
    };
    let best = (0..ROUNDS).map(|_| round(&mut work)).fold(f64::INFINITY, f64::min);
    println!("{name:<20} {best:>10.1} ns/op");
}

/// Signatures as `recover_addresses` takes them.
fn signatures(count: usize) -> Vec<u8> {
    let mut records = Vec::new();
    for n in 0..count {
        let hash = keccak256(&n.to_be_bytes());
        let signature = sign(&hash, &B256::repeat_byte(7)).expect("a valid key");
        records.extend_from_slice(hash.as_slice());
        records.push(signature.parity);
        records.extend_from_slice(signature.r.as_slice());
        records.extend_from_slice(signature.s.as_slice());
    }
    records
}

fn main() {
    for length in [32, 136, 576] {
        let input = vec![7; length];
        bench(&format!("keccak_{length}"), 100_000, || {
            for _ in 0..100_000 {
                black_box(keccak256(black_box(&input)));
            }
        });
    }
    let nodes = vec![vec![7u8; 136]; 10_000];
    bench("keccak_batch", nodes.len(), || drop(black_box(keccak256_batch(black_box(&nodes)))));
    let header = [7; 80];
    bench("sha256d_80", 100_000, || {
        for _ in 0..100_000 {
            black_box(sha256d(black_box(&header)));
        }
    });
    let records = signatures(512);
    let word = |at: usize| B256::from_slice(&records[at..at + 32]);
    let (hash, parity, r, s) = (word(0), records[32], word(33), word(65));
    bench("recover_single", 200, || {
        for _ in 0..200 {
            black_box(recover_address(black_box(&hash), parity, &r, &s));
        }
    });
    bench("recover_batch", 512, || drop(black_box(recover_addresses(black_box(&records)))));
}
