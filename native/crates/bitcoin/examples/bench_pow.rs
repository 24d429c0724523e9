//! Times the proof-of-work check: `cargo run --release -p rhizome-bitcoin --example bench_pow`.
//! Prints one line per benchmark: name and nanoseconds per operation, the best of several rounds.

use std::hint::black_box;
use std::time::Instant;

use rhizome_bitcoin::{Control, MergedMining, Template, check_proof_of_work, mine, target_from_difficulty};
use rhizome_primitives::rules::{Rule, RuleSet};
use rhizome_primitives::{B256, U256};

const ROUNDS: usize = 7;

fn bench(name: &str, operations: u32, work: impl Fn()) {
    let round = || {
        let start = Instant::now();
        work();
        start.elapsed().as_nanos() as f64 / f64::from(operations)
    };
    let best = (0..ROUNDS).map(|_| round()).fold(f64::INFINITY, f64::min);
    println!("{name:<20} {best:>10.1} ns/op");
}

fn main() {
    let control = Control::default();
    let (hash, difficulty) = (B256::repeat_byte(7), U256::from(1));
    let solution = mine(&hash, target_from_difficulty(difficulty), 1_700_000_000, &control).expect("not stopped");
    let mining = MergedMining {
        hash_for_merged_mining: Some(hash),
        difficulty,
        number: 1,
        bitcoin_header: Some(&solution.bitcoin_header),
        merkle_proof: Some(&solution.merkle_proof),
        coinbase: Some(&solution.compressed_coinbase),
        rules: [Rule::Rskip92, Rule::Rskip98, Rule::Rskip180].into_iter().collect::<RuleSet>(),
        fallback_mining_difficulty: U256::ZERO,
    };
    assert_eq!(check_proof_of_work(&mining), Ok(()));
    bench("pow_check", 10_000, || {
        for _ in 0..10_000 {
            let _ = black_box(check_proof_of_work(black_box(&mining)));
        }
    });
    let template = Template::new(&hash, 0, [0; 4]);
    bench("nonce_search", 200_000, || {
        black_box(template.search(U256::ZERO, 0..=199_999, &control));
    });
}
