//! Ancestor blocks: their stored form, and walking up from any block of a tree.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use proptest::prelude::*;
use rhizome_primitives::account::AccountRef;
use rhizome_primitives::block::{AncestorBlock, UncleMetadata};
use rhizome_primitives::state::StateError;
use rhizome_primitives::{Address, B256, Bytes, U256};
use rhizome_store::ancestor_codec::{decode_ancestor, encode_ancestor};
use rhizome_store::{HeadBranch, StateStore, StoreOptions};

fn block(hash: B256, parent_hash: B256, number: u64) -> AncestorBlock {
    AncestorBlock {
        timestamp: number * 30,
        coinbase: Address::repeat_byte(3).into(),
        gas_limit: Bytes::from_static(&[0x67, 0xc2, 0x80]),
        gas_used: 21_000,
        ..rhizome_testing::ancestor(hash, parent_hash, number)
    }
}

fn name(branch: u64, number: u64) -> B256 {
    B256::from(U256::from(branch) << 64 | U256::from(number) | U256::from(1) << 200)
}

/// Miners have an address or none.
fn any_miner() -> impl Strategy<Value = AccountRef> {
    prop::option::of(any::<[u8; 20]>())
        .prop_map(|address| address.map_or(AccountRef::NoAddress, |address| Address::from(address).into()))
}

prop_compose! {
    fn any_block()(
        hashes in any::<([u8; 32], [u8; 32])>(),
        numbers in any::<[u64; 4]>(),
        amounts in prop::array::uniform4(any::<[u8; 32]>()),
        gas_limit in prop::collection::vec(any::<u8>(), 0..9),
        bitcoin in (prop::option::of(prop::collection::vec(any::<u8>(), 0..90)), prop::option::of(prop::collection::vec(any::<u8>(), 0..200))),
        uncles in prop::collection::vec((any::<([u8; 32], u64)>(), any_miner(), any::<([u8; 32], u64)>()), 0..4),
        coinbase in any_miner(),
        state_root in prop::option::of(any::<[u8; 32]>()),
    ) -> AncestorBlock {
        AncestorBlock {
            hash: hashes.0.into(),
            parent_hash: hashes.1.into(),
            coinbase,
            number: numbers[0],
            timestamp: numbers[1],
            gas_used: numbers[2],
            uncle_count: numbers[3],
            minimum_gas_price: U256::from_be_bytes(amounts[0]),
            difficulty: U256::from_be_bytes(amounts[1]),
            paid_fees: U256::from_be_bytes(amounts[2]),
            total_difficulty: U256::from_be_bytes(amounts[3]),
            gas_limit: gas_limit.into(),
            bitcoin_header: bitcoin.0.map(Bytes::from),
            bitcoin_coinbase: bitcoin.1.map(Bytes::from),
            uncles: uncles.into_iter().map(|((hash, number), coinbase, (amount, uncle_count))| UncleMetadata {
                hash: hash.into(),
                number,
                coinbase,
                difficulty: U256::from_be_bytes(amount),
                paid_fees: U256::from(number),
                uncle_count,
            }).collect(),
            state_root: state_root.map(B256::from),
        }
    }
}

/// Builds a random tree of blocks and asks for random depths from random blocks.
fn check_tree(
    store: &Arc<StateStore>,
    parents: &[prop::sample::Index],
    asks: &[(prop::sample::Index, u64)],
) -> Result<(), TestCaseError> {
    let mut tree = vec![block(name(0, 0), B256::ZERO, 0)];
    store.put_ancestor(tree[0].clone());
    for (index, parent) in parents.iter().enumerate() {
        // Seven of eight blocks extend the last one.
        let parent = if index % 8 == 7 { parent.index(tree.len()) } else { tree.len() - 1 };
        let next = block(name(1, index as u64), tree[parent].hash, tree[parent].number + 1);
        if index % 3 == 0 {
            prop_assert_eq!(store.ancestry(next.parent_hash).ancestor_hash(0), Some(next.parent_hash));
        }
        store.put_ancestor(next.clone());
        tree.push(next);
        if index % 5 == 0 {
            store.commit().unwrap();
        }
    }
    let by_hash = |hash: B256| tree.iter().find(|block| block.hash == hash);
    for (from, depth) in asks {
        let from = &tree[from.index(tree.len())];
        let ancestry = store.ancestry(from.hash);
        let mut expected = Some(from);
        for _ in 0..*depth {
            expected = expected.and_then(|block| by_hash(block.parent_hash));
        }
        let found = ancestry.ancestor(*depth);
        prop_assert_eq!(found.as_deref(), expected);
        prop_assert_eq!(ancestry.ancestor(depth / 2).map(|block| block.number), from.number.checked_sub(depth / 2));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn stored_form_round_trips(block in any_block()) {
        let encoded = encode_ancestor(&block);
        prop_assert_eq!(decode_ancestor(&block.hash, &encoded).unwrap(), block.clone());
        prop_assert!(decode_ancestor(&block.hash, &encoded[..encoded.len() - 1]).is_err());
    }

    #[test]
    fn depths_are_right_on_every_branch(
        parents in prop::collection::vec(any::<prop::sample::Index>(), 0..80),
        asks in prop::collection::vec((any::<prop::sample::Index>(), 0u64..60), 0..40),
    ) {
        check_tree(&StateStore::in_memory(&StoreOptions::default()), &parents, &asks)?;
    }
}

#[test]
fn deep_ancestors_after_a_restart_and_beyond_the_window() {
    const HEIGHT: u64 = 10_000;
    let folder = tempfile::tempdir().unwrap();
    let store = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
    for number in 0..=HEIGHT {
        let parent = number.checked_sub(1).map_or(B256::ZERO, |parent| name(0, parent));
        store.put_ancestor(block(name(0, number), parent, number));
    }
    store.commit().unwrap();
    drop(store);
    let store = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
    assert!(store.ancestry(B256::ZERO).ancestor(0).is_none());
    let ancestry = store.ancestry(name(0, HEIGHT));
    for depth in [0, 1, 255, 4000, 8191, 8192, 9999, HEIGHT] {
        assert_eq!(ancestry.ancestor_hash(depth), Some(name(0, HEIGHT - depth)));
    }
    assert!(ancestry.ancestor(HEIGHT + 1).is_none());
    // With the window in place, a deep lookup needs no store access: a million of them take well under a second.
    let started = std::time::Instant::now();
    for look in 0..1_000_000u64 {
        assert_eq!(ancestry.ancestor(look % 5000).map(|block| block.number), Some(HEIGHT - look % 5000));
    }
    println!("1,000,000 ancestors in {:?}", started.elapsed());
    assert!(started.elapsed().as_secs() < 20);
}

#[test]
fn a_head_names_the_blocks_of_its_branch_that_are_in_memory() {
    const HEIGHT: u64 = 9_000;
    const HELD: u64 = 8192;
    let folder = tempfile::tempdir().unwrap();
    let store = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
    for number in 0..=HEIGHT {
        let parent = number.checked_sub(1).map_or(B256::ZERO, |parent| name(0, parent));
        store.put_ancestor(block(name(0, number), parent, number));
    }
    store.commit().unwrap();
    drop(store);
    let store = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
    assert!(store.head_branch(B256::ZERO).is_none());
    let branch = store.head_branch(name(0, HEIGHT)).unwrap();
    let hash_at = |branch: &HeadBranch, number: u64| branch.at(number).map(|block| block.hash);
    assert_eq!(hash_at(&branch, HEIGHT), Some(name(0, HEIGHT)));
    assert_eq!(hash_at(&branch, HEIGHT + 1), None);
    assert_eq!(hash_at(&branch, HEIGHT - 1), None, "on disk");
    store.fill_window();
    while branch.at(HEIGHT + 1 - HELD).is_none() {
        std::thread::yield_now();
    }
    assert_eq!(hash_at(&branch, HEIGHT - 5000), Some(name(0, HEIGHT - 5000)));
    assert_eq!(hash_at(&branch, HEIGHT - HELD), None, "no room");
    assert!(branch.has(name(0, HEIGHT - 7), HEIGHT - 7) && !branch.has(name(0, HEIGHT - 7), HEIGHT - 6));
    // Another branch is extended meanwhile.
    for number in HEIGHT - 1..=HEIGHT + 2 {
        let parent = if number < HEIGHT { 0 } else { 1 };
        store.put_ancestor(block(name(1, number), name(parent, number - 1), number));
    }
    assert_eq!(hash_at(&branch, HEIGHT - 9), Some(name(0, HEIGHT - 9)));
    let other = store.head_branch(name(1, HEIGHT + 2)).unwrap();
    for (number, branch) in [(HEIGHT + 1, 1), (HEIGHT - 1, 1), (HEIGHT - 2, 0)] {
        assert_eq!(hash_at(&other, number), Some(name(branch, number)));
    }
    assert_eq!(hash_at(&branch, HEIGHT - 9), None, "the window left the branch");
    let again = store.head_branch(name(0, HEIGHT)).unwrap();
    for number in [HEIGHT, HEIGHT - 1, HEIGHT - 2, HEIGHT - 9] {
        assert_eq!(hash_at(&again, number), Some(name(0, number)));
    }
    assert!(!again.has(name(1, HEIGHT - 1), HEIGHT - 1));
    store.put_edited_root(name(0, 3), Some(B256::repeat_byte(7)));
    assert_eq!(again.root_after(&block(name(0, 3), B256::ZERO, 3)), Some(B256::repeat_byte(7)));
}

/// What makes a new state must not take an ancestor that the store lost for one that never was.
#[test]
fn an_ancestor_that_is_lost_is_damage() {
    let store = StateStore::in_memory(&StoreOptions::default());
    for number in (0..30).filter(|number| *number != 20) {
        let parent = u64::checked_sub(number, 1).map_or(B256::ZERO, |parent| name(0, parent));
        store.put_ancestor(block(name(0, number), parent, number));
    }
    let ancestry = store.ancestry(name(0, 29));
    assert_eq!(ancestry.ancestor_hash(8), Some(name(0, 21)));
    assert!(ancestry.ancestor(30).is_none() && ancestry.failure().is_none(), "below genesis");
    assert!(ancestry.ancestor(9).is_none());
    assert!(matches!(ancestry.failure(), Some(StateError::Corrupt { hash, .. }) if hash == name(0, 20)));
}
