//! States with their roots in both formats (`consensus/orchid-states.jsonl`).
#![allow(clippy::unwrap_used)]

mod vectors;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::interrupt::Interrupt;
use rhizome_primitives::{Address, B256, Bytes, U256};
use rhizome_trie::account::encode_account;
use rhizome_trie::orchid_state::{OrchidAccount, orchid_state_root};
use rhizome_trie::{MemoryNodes, Trie, keccak256, keys};
use rhizome_vectors::{json, json_lines};
use serde_json::Value as Json;
use vectors::{bytes, hash, text};

fn account_of(line: &Json) -> OrchidAccount {
    let account = match &bytes(line, "address")[..] {
        [0] => AccountRef::RemascSender,
        address => Address::from_slice(address).into(),
    };
    let number = |field| U256::from_str_radix(&text(line, field)[2..], 16).unwrap();
    let cells = line["cells"].as_object().into_iter().flatten().map(|(slot, value)| {
        let value: Bytes = hex::decode(&value.as_str().unwrap()[2..]).unwrap().into();
        (U256::from_str_radix(&slot[2..], 16).unwrap(), value)
    });
    OrchidAccount {
        account,
        state: Account { nonce: number("nonce"), balance: number("balance").into(), ..Account::default() },
        code_hash: line.get("code").map(|_| keccak256(&bytes(line, "code"))),
        cells: cells.collect(),
    }
}

fn unitrie(lines: &[Json]) -> Trie {
    let mut trie = Trie::in_memory();
    for line in lines {
        let OrchidAccount { account, state, cells, .. } = account_of(line);
        trie.put(&keys::account_key(&account), encode_account(&state).into()).unwrap();
        if line["contract"] == Json::Bool(true) {
            trie.put(&keys::storage_prefix_key(&account), keys::MARKER.to_vec().into()).unwrap();
        }
        if line.get("code").is_some() {
            trie.put(&keys::code_key(&account), bytes(line, "code")).unwrap();
        }
        for (slot, value) in cells {
            trie.put(&keys::storage_key(&account, &slot), value).unwrap();
        }
    }
    trie
}

#[test]
fn states_have_the_roots_of_the_reference() {
    let going = Interrupt::Flag(Arc::default());
    let mut states = 0;
    for line in json_lines("consensus/orchid-states.jsonl") {
        let name = text(&line, "name");
        let accounts = line["accounts"].as_array().unwrap();
        let mut trie = unitrie(accounts);
        let (root, orchid): (B256, B256) = (hash(&line, "stateRoot"), hash(&line, "orchidStateRoot"));
        assert_eq!(trie.root(), root, "{name}");
        assert_eq!(trie.orchid_state_root(&going).unwrap(), Some(orchid), "{name}, as it is walked");
        assert_eq!(orchid_state_root(accounts.iter().map(account_of)).unwrap(), orchid, "{name}, by its accounts");
        let stored = MemoryNodes::default();
        stored.extend(trie.take_new_nodes());
        let stored = Trie::at(Arc::new(stored), root);
        assert_eq!(stored.orchid_state_root(&going).unwrap(), Some(orchid), "{name}, stored");
        states += 1;
    }
    assert_eq!(states, 15);
}

/// The converter's root for the recorded head state: accounts, contracts, REMASC and Bridge as blocks leave them.
const HEAD_ROOT: &str = "0xc8b5feb53bf3d02ebf98c9dba38c0ba25dd5fa4eed3ff1e1636f5e63540eefa9";

#[test]
fn the_state_of_a_chain_has_the_root_of_the_reference() {
    let file = json("rpc/state-main.json");
    let mut trie = Trie::in_memory();
    for row in file["trie"].as_array().unwrap() {
        let field = |index: usize| hex::decode(&row[index].as_str().unwrap()[2..]).unwrap();
        trie.put(&field(0), field(2).into()).unwrap();
    }
    assert_eq!(trie.root(), hash(&file, "stateRoot"));
    let root = trie.orchid_state_root(&Interrupt::Flag(Arc::default())).unwrap().unwrap();
    assert_eq!(root.to_string(), HEAD_ROOT);
}

#[test]
fn stops_when_it_is_asked_to() {
    let line = json_lines("consensus/orchid-states.jsonl").next().unwrap();
    let trie = unitrie(line["accounts"].as_array().unwrap());
    let stopped = Interrupt::Flag(Arc::new(AtomicBool::new(true)));
    assert_eq!(trie.orchid_state_root(&stopped).unwrap(), None);
}
