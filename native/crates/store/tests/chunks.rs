//! States in chunks of snapshot sync: those that the reference recorded, and others.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::sync::Arc;

use proptest::prelude::*;
use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::rlp::Item;
use rhizome_primitives::state::WriteSet;
use rhizome_primitives::{Address, B256, Bytes, U256};
use rhizome_store::{CheckProgress, ChunkIntake, IntakeError, StateStore, StoreOptions};
use rhizome_trie::EMPTY_ROOT;
use rhizome_trie::chunk::{CHUNK_SPAN, ChunkError, check_chunk};
use serde_json::Value;

const ANY_LENGTH: usize = usize::MAX;
/// Element of a header.
const STATE_ROOT: usize = 3;

struct Recorded {
    root: B256,
    size: u64,
    /// Start and bytes of each chunk, and true for the last.
    chunks: Vec<(u64, Vec<u8>, bool)>,
}

/// The state that the reference sent in five chunks.
fn recorded() -> Recorded {
    let lines: Vec<Value> = rhizome_vectors::json_lines("p2p/p2p-snap.jsonl")
        .filter(|line| line["scenario"] == "direct" && line["direction"] == "rskj>peer")
        .collect();
    let of = |name: &str| lines.iter().filter(|line| line["name"] == name).map(|line| &line["decoded"]).collect();
    let statuses: Vec<&Value> = of("SNAP_STATUS_RESPONSE");
    let block = hex::decode(statuses[0]["blocks"].as_array().unwrap().last().unwrap().as_str().unwrap()).unwrap();
    let header = Item::read_only(&block).unwrap().items().unwrap()[0].items().unwrap();
    let chunks: Vec<&Value> = of("SNAP_STATE_CHUNK_RESPONSE");
    let chunk = |value: &Value| {
        let body = hex::decode(value["chunk"].as_str().unwrap()).unwrap();
        assert_eq!(value["from"].as_u64().unwrap() + CHUNK_SPAN, value["to"].as_u64().unwrap());
        (value["from"].as_u64().unwrap(), body, value["complete"].as_bool().unwrap())
    };
    Recorded {
        root: B256::from_slice(header[STATE_ROOT].bytes().unwrap()),
        size: statuses[0]["trieSize"].as_u64().unwrap(),
        chunks: chunks.into_iter().map(chunk).collect(),
    }
}

fn in_memory() -> Arc<StateStore> {
    StateStore::in_memory(&StoreOptions::default())
}

#[test]
fn recorded_chunks_are_taken_and_given_out_again() {
    let Recorded { root, size, chunks } = recorded();
    assert_eq!(chunks.len(), 5);
    let store = in_memory();
    let mut intake = ChunkIntake::new(store.clone(), root);
    for (from, body, complete) in &chunks {
        assert_eq!(intake.next(), *from);
        assert!(!store.has_root(&root).unwrap());
        let report = intake.take(body).unwrap();
        assert_eq!(report.complete, *complete);
        assert!(report.nodes > 0);
    }
    store.check_root(&root, &CheckProgress::default()).unwrap();
    assert_eq!(store.state_size(root).unwrap(), size);
    for (from, body, complete) in &chunks {
        let ours = store.state_chunk(root, *from, ANY_LENGTH).unwrap().unwrap();
        assert_eq!(hex::encode(&ours.body), hex::encode(body), "from {from}");
        assert_eq!(ours.complete, *complete);
    }
    assert!(store.state_chunk(root, size + 1, ANY_LENGTH).unwrap().is_none());
    assert!(store.state_chunk(root, 0, 20_000).unwrap().is_none(), "longer than allowed");
    assert!(store.state_chunk(B256::repeat_byte(1), 0, ANY_LENGTH).is_err());
}

#[test]
fn altered_recorded_chunks_are_refused() {
    let Recorded { root, chunks, .. } = recorded();
    for (from, body, _) in &chunks {
        let check = |bytes: &[u8]| check_chunk(bytes, &root, *from, from + CHUNK_SPAN);
        check(body).unwrap();
        // Every fortieth byte, so that the run stays short: 2,200 altered chunks.
        for offset in (0..body.len()).step_by(40) {
            let mut altered = body.clone();
            altered[offset] ^= 0x10;
            assert!(check(&altered).is_err(), "byte {offset} of the chunk from {from}");
        }
        assert!(check(&body[..body.len() - 1]).is_err());
        for (other, body, _) in chunks.iter().filter(|(other, ..)| other != from) {
            assert_eq!(check(body), Err(ChunkError::Range), "the chunk from {other} as that from {from}");
        }
    }
}

#[test]
fn a_chunk_that_is_not_the_next_one_changes_nothing() {
    let Recorded { root, chunks, .. } = recorded();
    let store = in_memory();
    let mut intake = ChunkIntake::new(store.clone(), root);
    for (index, (_, body, _)) in chunks.iter().enumerate() {
        let other = &chunks[(index + 1) % chunks.len()].1;
        assert!(matches!(intake.take(other), Err(IntakeError::Chunk(ChunkError::Range))));
        assert!(matches!(intake.take(&[]), Err(IntakeError::Chunk(_))));
        intake.take(body).unwrap();
    }
    store.check_root(&root, &CheckProgress::default()).unwrap();
    assert!(matches!(intake.take(&chunks[0].1), Err(IntakeError::Chunk(ChunkError::Range))), "after the end");
}

#[test]
fn an_intake_goes_on_where_it_was_saved() {
    let Recorded { root, chunks, .. } = recorded();
    let folder = tempfile::tempdir().unwrap();
    let mut saved: Option<Vec<u8>> = None;
    for (from, body, _) in &chunks {
        // The store is opened anew each time, so that only what was saved and stored is there.
        let store = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
        let mut intake = match &saved {
            None => ChunkIntake::new(store.clone(), root),
            Some(bytes) => ChunkIntake::resume(store.clone(), root, bytes).unwrap(),
        };
        assert_eq!(intake.next(), *from);
        if let Some(bytes) = &saved {
            assert!(matches!(ChunkIntake::resume(store.clone(), EMPTY_ROOT, bytes), Err(IntakeError::Saved)));
            assert!(matches!(ChunkIntake::resume(in_memory(), root, bytes), Err(IntakeError::Saved)));
            assert!(matches!(ChunkIntake::resume(store.clone(), root, &bytes[1..]), Err(IntakeError::Saved)));
        }
        intake.take(body).unwrap();
        let bytes = intake.save().unwrap();
        assert!(bytes.len() < 10_000, "{} bytes", bytes.len());
        saved = Some(bytes);
        drop(intake);
        store.close();
    }
    let store = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
    store.check_root(&root, &CheckProgress::default()).unwrap();
}

fn account(number: u64) -> AccountRef {
    AccountRef::Address(Address::left_padding_from(&number.to_be_bytes()))
}

/// A state of many accounts, cells and code, with values longer than a chunk.
fn large(store: &Arc<StateStore>, accounts: u64, longest: usize) -> B256 {
    let mut writes = WriteSet::default();
    for number in 0..accounts {
        writes.accounts.push((account(number), Account { nonce: U256::from(number), ..Account::default() }));
        for cell in 0..number % 7 {
            writes.storage.push((account(number), U256::from(cell), Some(vec![number as u8 | 1; 33].into())));
        }
        if number % 11 == 0 {
            writes.code.push((account(number), Bytes::from(vec![number as u8; 3000 + number as usize])));
        }
    }
    writes.storage.push((account(1), U256::MAX, Some(vec![9; longest].into())));
    let applied = store.apply(EMPTY_ROOT, &writes).unwrap();
    let root = applied.root();
    store.keep(applied);
    store.commit().unwrap();
    root
}

/// Copies a whole state of one store into another.
fn carry(from: &Arc<StateStore>, to: Arc<StateStore>, root: B256) -> usize {
    let mut intake = ChunkIntake::new(to, root);
    for chunks in 1.. {
        let chunk = from.state_chunk(root, intake.next(), ANY_LENGTH).unwrap().unwrap();
        if intake.take(&chunk.body).unwrap().complete {
            return chunks;
        }
    }
    unreachable!("a state ends")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn states_arrive_whole(accounts in 1u64..1500, longest in 33usize..300_000) {
        let (source, target) = (in_memory(), in_memory());
        let root = large(&source, accounts, longest);
        // Existing states stay, and states that are stored in between do not interfere.
        let other = large(&target, 3, 40);
        let chunks = carry(&source, target.clone(), root);
        prop_assert_eq!(chunks as u64, source.state_size(root).unwrap() / CHUNK_SPAN + 1);
        for root in [root, other] {
            target.check_root(&root, &CheckProgress::default()).unwrap();
        }
        let wanted = source.check_root(&root, &CheckProgress::default()).unwrap();
        prop_assert_eq!(target.check_root(&root, &CheckProgress::default()).unwrap(), wanted);
    }
}

#[test]
fn blocks_may_be_stored_between_chunks() {
    let (source, target) = (in_memory(), in_memory());
    let root = large(&source, 4000, 100_000);
    let mut intake = ChunkIntake::new(target.clone(), root);
    let mut head = EMPTY_ROOT;
    loop {
        let chunk = source.state_chunk(root, intake.next(), ANY_LENGTH).unwrap().unwrap();
        let done = intake.take(&chunk.body).unwrap().complete;
        let mut writes = WriteSet::default();
        writes.accounts.push((account(intake.next()), Account { nonce: U256::from(1), ..Account::default() }));
        let applied = target.apply(head, &writes).unwrap();
        head = applied.root();
        target.keep(applied);
        intake.save().unwrap();
        if done {
            break;
        }
    }
    for root in [root, head] {
        target.check_root(&root, &CheckProgress::default()).unwrap();
    }
}
