//! Roots of recorded whole states: genesis of every network, and the head of a regtest chain.
#![allow(clippy::unwrap_used)]

mod vectors;

use std::sync::Arc;

use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::interrupt::Interrupt;
use rhizome_primitives::{Address, B256, Bytes, U256};
use rhizome_trie::account::{decode_account, encode_account};
use rhizome_trie::orchid_state::{OrchidAccount, orchid_state_root};
use rhizome_trie::{Trie, keccak256, keys};
use rhizome_vectors::json;
use serde_json::Value as Json;
use vectors::hash;

fn entry(row: &Json) -> (Vec<u8>, Bytes) {
    let field = |index: usize| hex::decode(&row[index].as_str().unwrap()[2..]).unwrap();
    (field(0), field(2).into())
}

fn build(rows: &Json) -> Trie {
    let mut trie = Trie::in_memory();
    for (key, value) in rows.as_array().unwrap().iter().map(entry) {
        trie.put(&key, value).unwrap();
    }
    trie
}

#[test]
fn genesis_roots_of_every_network() {
    for network in ["main", "testnet", "testnet2", "regtest", "devnet"] {
        let file = json(&format!("genesis/genesis-{network}.json"));
        let genesis = &file["genesisBlock"];
        let trie = build(&genesis["trie"]);
        assert_eq!(trie.root(), hash(genesis, "unitrieRoot"), "{network}");
        println!("{network}: {} values, root equal", genesis["trie"].as_array().unwrap().len());
    }
}

#[test]
fn main_genesis_has_an_orchid_state_root() {
    let file = json("genesis/genesis-main.json");
    let rows = file["genesisBlock"]["trie"].as_array().unwrap().iter().map(entry);
    let accounts = rows.map(|(key, value)| OrchidAccount {
        account: AccountRef::Address(Address::from_slice(&key[11..])),
        state: decode_account(&value).unwrap(),
        code_hash: None,
        cells: Vec::new(),
    });
    assert_eq!(orchid_state_root(accounts).unwrap(), hash(&file["genesisBlock"], "stateRoot"));
    let trie = build(&file["genesisBlock"]["trie"]);
    assert_eq!(
        trie.orchid_state_root(&Interrupt::Flag(Arc::default())).unwrap().unwrap(),
        hash(&file["genesisBlock"], "stateRoot")
    );
}

#[test]
fn orchid_root_of_a_unitrie_is_that_of_its_accounts() {
    let owners = [AccountRef::RemascSender, Address::repeat_byte(1).into(), Address::repeat_byte(2).into()];
    let code = Bytes::from(vec![0x60; 40]);
    let accounts: Vec<_> = (1u64..)
        .zip(owners)
        .map(|(number, account)| OrchidAccount {
            account,
            state: Account { nonce: U256::from(number), balance: U256::from(number << 7).into(), flags: 0 },
            code_hash: (number > 1).then(|| keccak256(&code)),
            cells: if number > 1 {
                (0..20).map(|slot| (U256::from(slot), vec![7; 31 + slot].into())).collect()
            } else {
                vec![]
            },
        })
        .collect();
    let mut trie = Trie::in_memory();
    for account in &accounts {
        trie.put(&keys::account_key(&account.account), encode_account(&account.state).into()).unwrap();
        for (slot, value) in &account.cells {
            trie.put(&keys::storage_prefix_key(&account.account), vec![1].into()).unwrap();
            trie.put(&keys::code_key(&account.account), code.clone()).unwrap();
            trie.put(&keys::storage_key(&account.account, slot), value.clone()).unwrap();
        }
    }
    assert_eq!(
        trie.orchid_state_root(&Interrupt::Flag(Arc::default())).unwrap().unwrap(),
        orchid_state_root(accounts).unwrap()
    );
}

#[test]
fn head_state_of_the_recorded_chain() {
    let file = json("rpc/state-main.json");
    let trie = build(&file["trie"]);
    assert_eq!(trie.root(), hash(&file, "stateRoot"));
    let mut cells = 0;
    for (key, _) in file["trie"].as_array().unwrap().iter().map(entry).filter(|(key, _)| key.len() == keys::ACCOUNT_KEY)
    {
        let account = AccountRef::Address(Address::from_slice(&key[11..]));
        let prefix = keys::storage_prefix_key(&account);
        let rows = file["trie"].as_array().unwrap().iter().map(entry);
        let mut expected: Vec<_> =
            rows.filter(|(key, _)| key.starts_with(&prefix) && key.len() > prefix.len()).collect();
        expected.sort();
        let listed = trie.storage_cells(&account, None, usize::MAX).unwrap();
        assert_eq!(listed.len(), expected.len());
        for ((slot, value), (key, expected)) in listed.iter().zip(&expected) {
            assert_eq!((keys::storage_key(&account, slot).as_slice(), value), (key.as_slice(), expected));
        }
        for (index, (slot, _)) in listed.iter().enumerate() {
            assert_eq!(
                trie.storage_cells(&account, Some(slot), 2).unwrap(),
                listed[index + 1..].iter().take(2).cloned().collect::<Vec<_>>()
            );
        }
        cells += listed.len();
    }
    assert!(cells > 0);
    println!("{cells} storage cells listed as recorded");
    assert_ne!(trie.root(), B256::ZERO);
}
