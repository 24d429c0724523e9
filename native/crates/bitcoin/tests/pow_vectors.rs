//! Headers recorded from the reference node, with its verdict on their proof of work.
//!
//! The hash for merged mining is taken from the vectors, because the header codec in TypeScript computes and tests it.
//! Everything else is computed here.

use rhizome_bitcoin::header::read_header;
use rhizome_bitcoin::{
    MergedMining, block_hash, check_proof_of_work, hash_as_number, target_from_difficulty, timestamps_linked,
};
use rhizome_primitives::rlp::Item;
use rhizome_primitives::rules::{Rule, RuleSet};
use rhizome_primitives::{B256, U256, hex};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Vector {
    case: String,
    network: String,
    number: U256,
    difficulty: U256,
    header: String,
    decodes: bool,
    hash_for_merged_mining: Option<B256>,
    target: Option<U256>,
    btc_hash: Option<B256>,
    pow_valid: bool,
    timestamp_rule_valid: Option<bool>,
}

/// Heights of the rules that change or check a header, as (main, testnet); regtest has them from the start.
const HEIGHTS: [(Rule, Option<u64>, Option<u64>); 9] = [
    (Rule::Rskip92, Some(729_000), Some(0)),
    (Rule::Rskip98, Some(729_000), Some(0)),
    (Rule::RskipUmm, Some(2_392_700), Some(863_000)),
    (Rule::Rskip179, Some(3_614_800), Some(2_060_500)),
    (Rule::Rskip180, Some(3_614_800), Some(2_060_500)),
    (Rule::Rskip297, Some(4_598_500), Some(3_103_000)),
    (Rule::Rskip144, None, Some(7_139_600)),
    (Rule::Rskip351, None, Some(7_139_600)),
    (Rule::Rskip535, None, Some(7_604_200)),
];

fn rules_at(network: &str, number: u64) -> RuleSet {
    let height = |main: Option<u64>, testnet: Option<u64>| match network {
        "main" => main,
        "testnet" => testnet,
        _ => Some(0),
    };
    HEIGHTS
        .iter()
        .filter(|(_, main, testnet)| height(*main, *testnet).is_some_and(|height| height <= number))
        .map(|(rule, ..)| *rule)
        .collect()
}

/// Bitcoin header, Merkle proof and coinbase: the last three items of a header that has them.
type MiningFields<'a> = (Option<&'a [u8]>, Option<&'a [u8]>, Option<&'a [u8]>);

fn mining_fields<'a>(items: &[Item<'a>], rules: RuleSet) -> MiningFields<'a> {
    let extra = [
        rules.active(Rule::RskipUmm),
        rules.active(Rule::Rskip351),
        rules.active(Rule::Rskip351) && rules.active(Rule::Rskip144),
        rules.active(Rule::Rskip351) && rules.active(Rule::Rskip535),
    ];
    let plain = 16 + extra.into_iter().filter(|present| *present).count();
    if items.len() <= plain {
        return (None, None, None);
    }
    let bytes = |item: Item<'a>| item.bytes().expect("a byte string");
    let some = |bytes: &'a [u8]| (!bytes.is_empty()).then_some(bytes);
    let [header, proof, coinbase] = items[items.len() - 3..] else { panic!("three items") };
    (some(bytes(header)), Some(bytes(proof)), some(bytes(coinbase)))
}

#[test]
fn recorded_headers() {
    let (mut verdicts, mut differences) = (0, Vec::new());
    for (line, text) in rhizome_vectors::lines("consensus/pow.jsonl").enumerate() {
        let vector: Vector = serde_json::from_str(&text).expect("a vector");
        let number = vector.number.to::<u64>();
        let rules = rules_at(&vector.network, number);
        let regtest = vector.network == "regtest";
        let encoded = hex::decode(&vector.header).expect("hex");
        let items = Item::read_only(&encoded).and_then(Item::items).expect("a list");
        let (bitcoin_header, merkle_proof, coinbase) = mining_fields(&items, rules);
        let result = check_proof_of_work(&MergedMining {
            hash_for_merged_mining: vector.hash_for_merged_mining,
            difficulty: items[7].u256().expect("a difficulty"),
            number,
            bitcoin_header,
            merkle_proof,
            coinbase,
            rules,
            fallback_mining_difficulty: U256::from(if regtest { 0 } else { 14_000_000_000_000_000u64 }),
        });
        let mut differ = |what: &str| differences.push(format!("line {} {}: {what}", line + 1, vector.case));
        if result.is_ok() != vector.pow_valid {
            differ(&format!("verdict {result:?}"));
        }
        verdicts += 1;
        if !vector.decodes {
            continue;
        }
        if vector.target.is_some_and(|target| target != target_from_difficulty(vector.difficulty)) {
            differ("target");
        }
        if let (Some(expected), Some(bytes)) = (vector.btc_hash, bitcoin_header) {
            let hash = read_header(bytes, false).map(|header| hash_as_number(&block_hash(header)));
            if hash != Ok(U256::from_be_bytes(expected.0)) {
                differ("Bitcoin hash");
            }
        }
        let limit = if vector.network == "testnet" && rules.active(Rule::Rskip297) { 7200 } else { 300 };
        let timestamp = items[11].u64().expect("a timestamp");
        let linked = regtest || !rules.active(Rule::Rskip179) || timestamps_linked(bitcoin_header, timestamp, limit);
        if vector.timestamp_rule_valid.is_some_and(|expected| expected != linked) {
            differ("timestamp rule");
        }
    }
    assert!(verdicts > 0);
    assert!(differences.is_empty(), "{} of {verdicts} differ:\n{}", differences.len(), differences.join("\n"));
    println!("{verdicts} headers equal");
}
