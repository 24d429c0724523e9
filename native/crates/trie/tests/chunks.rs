//! Chunks of random tries: they follow one another and contain every node once, and altered ones are refused.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use proptest::prelude::*;
use rhizome_primitives::{B256, rlp};
use rhizome_trie::chunk::{CheckedChunk, ChunkError, ChunkNode, check_chunk, read_chunk, trie_size};
use rhizome_trie::{EMPTY_ROOT, MemoryNodes, Trie, keccak256};

/// More than any node of these tries takes.
const SPAN: u64 = 1200;
const ANY_LENGTH: usize = usize::MAX;

fn entries() -> impl Strategy<Value = Vec<(Vec<u8>, Vec<u8>)>> {
    let key = prop::collection::vec(prop::sample::select(vec![0x00, 0x01, 0x80, 0xff, 0x7f]), 0..6);
    let value = prop_oneof![
        prop::collection::vec(any::<u8>(), 1..4),
        prop::collection::vec(any::<u8>(), 28..46),
        prop::collection::vec(any::<u8>(), 200..300)
    ];
    prop::collection::vec((key, value), 1..120)
}

fn store(entries: &[(Vec<u8>, Vec<u8>)]) -> (MemoryNodes, B256, usize) {
    let stored = MemoryNodes::default();
    let mut trie = Trie::at(Arc::new(stored.clone()), EMPTY_ROOT);
    for (key, value) in entries {
        trie.put(key, value.clone().into()).unwrap();
    }
    let root = trie.root();
    stored.extend(trie.take_new_nodes());
    let apart = trie.nodes().unwrap().iter().filter(|node| !node.embeddable || node.hash == root).count();
    (stored, root, apart)
}

/// All chunks of a trie, each checked.
fn chunks(stored: &MemoryNodes, root: &B256, span: u64) -> Vec<(u64, Vec<u8>, CheckedChunk)> {
    let mut found = Vec::new();
    for from in (0..).step_by(span as usize) {
        let chunk = read_chunk(stored, root, from, from + span, ANY_LENGTH).unwrap().expect("before the end");
        let checked = check_chunk(&chunk.body, root, from, from + span).unwrap();
        assert_eq!(checked.complete, chunk.complete);
        found.push((from, chunk.body, checked));
        if chunk.complete {
            break;
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn chunks_have_every_node_once(entries in entries()) {
        let (stored, root, count) = store(&entries);
        let size = trie_size(&stored, &root).unwrap();
        let chunks = chunks(&stored, &root, SPAN);
        let nodes: Vec<&ChunkNode> = chunks.iter().flat_map(|(_, _, chunk)| &chunk.nodes).collect();
        prop_assert_eq!(nodes.len(), count);
        prop_assert_eq!(nodes.iter().map(|node| node.span()).sum::<u64>(), size);
        prop_assert_eq!(chunks.len() as u64, size / SPAN + 1);
        // The whole trie in one chunk.
        let whole = read_chunk(&stored, &root, 0, size + 1, ANY_LENGTH).unwrap().unwrap();
        let whole = check_chunk(&whole.body, &root, 0, size + 1).unwrap();
        prop_assert!(whole.complete);
        prop_assert_eq!(whole.nodes.iter().collect::<Vec<_>>(), nodes);
        prop_assert!(read_chunk(&stored, &root, size + 1, size + 1 + SPAN, ANY_LENGTH).unwrap().is_none());
        for value in whole.nodes.iter().flat_map(ChunkNode::values) {
            prop_assert_eq!(keccak256(&value.1), value.0);
        }
    }

    #[test]
    fn any_position_can_be_asked_for(entries in entries(), from in any::<prop::sample::Index>(), span in 700u64..3000) {
        let (stored, root, _) = store(&entries);
        let from = from.index(trie_size(&stored, &root).unwrap() as usize) as u64;
        let chunk = read_chunk(&stored, &root, from, from + span, ANY_LENGTH).unwrap().unwrap();
        let checked = check_chunk(&chunk.body, &root, from, from + span).unwrap();
        // A range within one long value has no node.
        prop_assume!(!checked.nodes.is_empty());
        // A chunk of another range of the same trie is refused, unless it has the same nodes.
        let others = [from + span, from.saturating_sub(span), 0];
        for other in others.into_iter().filter(|other| *other != from) {
            let Some(other) = read_chunk(&stored, &root, other, other + span, ANY_LENGTH).unwrap() else { continue };
            if let Ok(taken) = check_chunk(&other.body, &root, from, from + span) {
                prop_assert_eq!(&taken, &checked);
            }
        }
        // So is a part of the chunk's range, or a larger range.
        for to in [from + span / 2, from + span * 2] {
            let other = read_chunk(&stored, &root, from, to, ANY_LENGTH).unwrap().unwrap();
            if let Ok(taken) = check_chunk(&other.body, &root, from, from + span) {
                prop_assert_eq!(&taken, &checked);
            }
        }
    }

    #[test]
    fn altered_chunks_are_refused(
        entries in entries(),
        which in any::<prop::sample::Index>(),
        offset in any::<prop::sample::Index>(),
        bit in 0u8..8,
    ) {
        let (stored, root, _) = store(&entries);
        let chunks = chunks(&stored, &root, SPAN);
        let (from, body, checked) = which.get(&chunks);
        let mut altered = body.clone();
        let offset = offset.index(altered.len());
        altered[offset] ^= 1 << bit;
        // A bit that changes only the form (another way to write a length) leaves the same nodes.
        if let Ok(taken) = check_chunk(&altered, &root, *from, from + SPAN) {
            prop_assert_eq!(taken.nodes.iter().map(ChunkNode::span).sum::<u64>(),
                checked.nodes.iter().map(ChunkNode::span).sum::<u64>());
            let messages = |chunk: &CheckedChunk| -> Vec<_> {
                chunk.nodes.iter().map(|node| node.message([None, None])).collect()
            };
            prop_assert_eq!(messages(&taken), messages(checked));
        }
        prop_assert!(check_chunk(&altered[..offset], &root, *from, from + SPAN).is_err());
        prop_assert_eq!(
            check_chunk(body, &B256::repeat_byte(7), *from, from + SPAN),
            Err(ChunkError::Root(root))
        );
    }

    #[test]
    fn bytes_that_are_no_chunk_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(check_chunk(&bytes, &EMPTY_ROOT, 0, SPAN).is_err());
        prop_assert!(check_chunk(&rlp::list(&bytes), &EMPTY_ROOT, 0, SPAN).is_err());
        let _ = ChunkNode::parse(&bytes);
    }
}

#[test]
fn a_value_longer_than_the_range_comes_with_the_range_that_it_ends_in() {
    let entries: Vec<_> =
        (0..40u8).map(|byte| (vec![byte; 5], vec![byte; if byte == 20 { 5000 } else { 40 }])).collect();
    let (stored, root, count) = store(&entries);
    let mut nodes = 0;
    let mut empty = 0;
    for from in (0..).step_by(SPAN as usize) {
        let chunk = read_chunk(&stored, &root, from, from + SPAN, ANY_LENGTH).unwrap().unwrap();
        let checked = check_chunk(&chunk.body, &root, from, from + SPAN).unwrap();
        empty += usize::from(checked.nodes.is_empty());
        nodes += checked.nodes.len();
        if checked.complete {
            break;
        }
    }
    assert_eq!(nodes, count);
    assert!(empty >= 3, "{empty} chunks have no node");
    assert!(read_chunk(&stored, &root, 0, 1 << 20, 4000).unwrap().is_none(), "longer than allowed");
}

#[test]
fn many_nodes_are_refused_without_being_kept() {
    let node = [0x40, 1];
    let mut nodes = Vec::new();
    for _ in 0..100_000 {
        rlp::write_bytes(&mut nodes, &node);
    }
    let body = [rlp::list(&[]), rlp::list(&nodes), vec![0x80], rlp::list(&[0x80, 0x80]), rlp::list(&[])].concat();
    assert_eq!(check_chunk(&rlp::list(&body), &EMPTY_ROOT, 0, SPAN), Err(ChunkError::TooMany));
    let mut pair = Vec::new();
    rlp::write_bytes(&mut pair, &node);
    pair.push(0x80);
    let body = [rlp::list(&rlp::list(&pair).repeat(100_000)), vec![0xc0, 0x80, 0xc0, 0xc0]].concat();
    assert_eq!(check_chunk(&rlp::list(&body), &EMPTY_ROOT, 0, SPAN), Err(ChunkError::TooMany));
}
