//! Hot paths by name: hashing, recovery of senders, proof of work.

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use rhizome_bitcoin::{Control, MergedMining, Template, check_proof_of_work, target_from_difficulty};
use rhizome_crypto::{keccak256, keccak256_batch, recover_address, recover_addresses, sha256d, sign};
use rhizome_primitives::rules::{Rule, RuleSet};
use rhizome_primitives::{B256, U256};
use serde_json::json;

/// Rounds of each; the fastest one counts, because noise only adds time.
const ROUNDS: usize = 7;
/// Minimum duration of a round.
const ROUND: Duration = Duration::from_millis(40);
/// Items of a batch, as many as a large block has transactions.
const BATCH: usize = 512;

/// Prints one line per path: its name and the time of an operation.
pub(crate) fn run() -> Result<(), Box<dyn Error>> {
    for length in [32, 136, 576] {
        let input = vec![7; length];
        report(&format!("keccak of {length} bytes"), 1, || keccak256(black_box(&input)));
    }
    let nodes = vec![vec![7u8; 136]; BATCH];
    report("keccak of 136 bytes, batch of 512", BATCH, || keccak256_batch(black_box(&nodes)));
    report("double SHA-256 of 80 bytes", 1, || sha256d(black_box(&[7; 80])));

    let records = signatures(BATCH)?;
    let word = |at: usize| B256::from_slice(&records[at..at + 32]);
    let (hash, parity, r, s) = (word(0), records[32], word(33), word(65));
    report("recovery of a sender", 1, || recover_address(black_box(&hash), parity, &r, &s));
    report("recovery of senders, batch of 512", BATCH, || recover_addresses(black_box(&records)));

    let commitment = B256::repeat_byte(0x5a);
    let template = Template::new(&commitment, 1, [0; 4]);
    let difficulty = U256::from(1);
    let target = target_from_difficulty(difficulty);
    let nonce = template.search(target, 0..=u32::MAX, &Control::default()).ok_or("no nonce")?;
    let solution = template.solution(nonce);
    let mining = MergedMining {
        hash_for_merged_mining: Some(commitment),
        difficulty,
        number: 1,
        bitcoin_header: Some(&solution.bitcoin_header),
        merkle_proof: Some(&solution.merkle_proof),
        coinbase: Some(&solution.compressed_coinbase),
        rules: Rule::ALL.iter().copied().collect::<RuleSet>(),
        fallback_mining_difficulty: U256::ZERO,
    };
    check_proof_of_work(&mining).map_err(|error| format!("the proof does not hold: {error}"))?;
    report("check of a proof of work", 1, || check_proof_of_work(black_box(&mining)));
    Ok(())
}

/// Times work that consists of `operations` operations.
fn report<T>(name: &str, operations: usize, work: impl Fn() -> T) {
    let round = || {
        let start = Instant::now();
        let mut done = 0;
        while start.elapsed() < ROUND {
            for _ in 0..8 {
                black_box(work());
            }
            done += 8 * operations;
        }
        start.elapsed().as_nanos() as f64 / done as f64
    };
    let best = (0..ROUNDS).map(|_| round()).fold(f64::INFINITY, f64::min);
    println!("{}", json!({"path": name, "nanoseconds": best}));
}

/// Signatures as [`recover_addresses`] takes them.
fn signatures(count: usize) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut records = Vec::new();
    for number in 0..count {
        let hash = keccak256(&number.to_be_bytes());
        let signature = sign(&hash, &B256::repeat_byte(7))?;
        records.extend_from_slice(hash.as_slice());
        records.push(signature.parity);
        records.extend_from_slice(signature.r.as_slice());
        records.extend_from_slice(signature.s.as_slice());
    }
    Ok(records)
}
