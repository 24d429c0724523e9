//! Recorded chains: their genesis states and blocks.

use rhizome_evm::Transaction;
use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::block::BlockEnv;
use rhizome_primitives::rlp::Item;
use rhizome_primitives::rules::Rule;
use rhizome_primitives::spec::ChainSpec;
use rhizome_primitives::state::WriteSet;
use rhizome_primitives::{Address, B256, Bytes, U256};
use serde_json::Value;

use crate::decode::decode;
use crate::support::bytes;

/// The changes that build a state from its trie's keys and values (consensus.md §6.4).
pub(crate) fn state_of(trie: &Value) -> WriteSet {
    let mut writes = WriteSet::default();
    for entry in trie.as_array().expect("trie entries") {
        let (key, value) = (bytes(&entry[0]), bytes(&entry[2]));
        if key.len() == 12 {
            writes.accounts.push((AccountRef::RemascSender, account(&value)));
            continue;
        }
        let (Some(address), Some(rest)) = (key.get(11..31), key.get(31..)) else { continue };
        let id = AccountRef::from(Address::from_slice(address));
        match rest {
            [] => writes.accounts.push((id, account(&value))),
            [0x80] => writes.code.push((id, value)),
            [0] => writes.markers.push(id),
            cell => writes.storage.push((id, U256::from_be_slice(&cell[11..]), Some(value))),
        }
    }
    writes
}

fn account(value: &[u8]) -> Account {
    let items = Item::read_only(value).and_then(Item::items).expect("an account");
    let balance = items[1].u256().expect("a balance");
    Account { nonce: items[0].u256().expect("a nonce"), balance: balance.into(), flags: 0 }
}

/// A block in the form that the executor needs.
pub(crate) struct Block {
    pub(crate) env: BlockEnv,
    pub(crate) edges: Vec<u16>,
    pub(crate) transactions: Vec<Transaction>,
    pub(crate) receipts_root: B256,
    pub(crate) logs_bloom: Bytes,
    pub(crate) gas_used: u64,
    pub(crate) paid_fees: U256,
}

pub(crate) fn block(rlp: &[u8], spec: &ChainSpec) -> Block {
    let parts = Item::read_only(rlp).and_then(Item::items).expect("a block");
    let header = parts[0].items().expect("a header");
    let field = |index: usize| header[index].bytes().expect("a header field");
    let word = |index: usize| U256::from_be_slice(field(index));
    let number: u64 = word(8).to();
    let rules = spec.rules_at(number);
    let mut edges = Vec::new();
    if rules.parallel_execution() {
        let index = 16 + usize::from(rules.active(Rule::RskipUmm)) + 1;
        edges = field(index).chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    }
    let raw = raw_items(&parts[1]);
    let count = raw.len();
    let transactions = raw
        .iter()
        .enumerate()
        .map(|(index, raw)| decode(raw, spec.chain_id, index + 1 == count).expect("a transaction"))
        .collect();
    Block {
        env: BlockEnv {
            number,
            timestamp: word(11).to(),
            difficulty: word(7),
            gas_limit: word(9).to(),
            gas_limit_width: field(9).len(),
            coinbase: Address::left_padding_from(field(2)),
            minimum_gas_price: word(14),
            parent_hash: B256::from_slice(field(0)),
        },
        edges,
        transactions,
        receipts_root: B256::from_slice(field(5)),
        logs_bloom: Bytes::copy_from_slice(field(6)),
        gas_used: word(10).to(),
        paid_fees: word(13),
    }
}

/// The items of a list with their RLP headers.
fn raw_items<'a>(list: &Item<'a>) -> Vec<&'a [u8]> {
    let Item::List(mut payload) = *list else { panic!("a list") };
    let mut items = Vec::new();
    while !payload.is_empty() {
        let (_, rest) = Item::read(payload).expect("an item");
        items.push(&payload[..payload.len() - rest.len()]);
        payload = rest;
    }
    items
}
