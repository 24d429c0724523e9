//! States that are exported from one store in pieces and imported into another.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::sync::Arc;

use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::state::WriteSet;
use rhizome_primitives::{Address, B256, Bytes, U256};
use rhizome_store::{CheckProgress, LogExport, LogImport, StateExport, StateStore, StoreOptions};
use rhizome_trie::EMPTY_ROOT;

fn owner(number: u64) -> AccountRef {
    AccountRef::Address(Address::left_padding_from(&number.to_be_bytes()))
}

/// Some states one after the other, with code, cells, and values too long for a node.
fn states(store: &Arc<StateStore>) -> Vec<B256> {
    let mut root = EMPTY_ROOT;
    (0..12u64)
        .map(|round| {
            let mut writes = WriteSet::default();
            for number in 0..40 {
                let account = owner(round % 5 * 40 + number);
                writes.accounts.push((account, Account { nonce: U256::from(round), ..Account::default() }));
                writes.storage.push((account, U256::from(round), Some(vec![number as u8 + 1; 8].into())));
            }
            writes.code.push((owner(round), Bytes::from(vec![round as u8; 3000])));
            writes.storage.push((owner(round), U256::MAX, Some(vec![9; 200 + round as usize].into())));
            let applied = store.apply(root, &writes).unwrap();
            root = applied.root();
            store.keep(applied);
            store.commit().unwrap();
            root
        })
        .collect()
}

fn pieces(mut next: impl FnMut() -> Option<Vec<u8>>) -> Vec<Vec<u8>> {
    std::iter::from_fn(&mut next).collect()
}

fn check(store: &Arc<StateStore>, root: &B256) {
    store.check_root(root, &CheckProgress::default()).unwrap();
}

#[test]
fn one_state_is_copied_whole_and_alone() {
    let source = StateStore::in_memory(&StoreOptions::default());
    let roots = states(&source);
    let wanted = roots[7];
    let mut export = StateExport::new(source, wanted).unwrap();
    let pieces = pieces(|| export.next_piece().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let target = StateStore::open(folder.path(), &StoreOptions::default()).unwrap();
    for store in [None, Some(target.clone())] {
        let mut import = LogImport::new(store, true).unwrap();
        for piece in &pieces {
            import.take(piece).unwrap();
        }
        assert!(import.has_root(&wanted).unwrap());
        assert!(!import.has_root(&roots[6]).unwrap());
        assert!(import.take(&pieces[0]).is_err(), "a piece is taken once");
    }
    check(&target, &wanted);
    // The copy can be extended.
    let mut writes = WriteSet::default();
    writes.storage.push((owner(3), U256::from(77), Some(vec![1; 50].into())));
    let applied = target.apply(wanted, &writes).unwrap();
    let next = applied.root();
    target.keep(applied);
    target.commit().unwrap();
    check(&target, &next);
}

#[test]
fn the_whole_log_is_copied_with_every_state() {
    let folder = tempfile::tempdir().unwrap();
    let source = StateStore::open(&folder.path().join("source"), &StoreOptions::default()).unwrap();
    let roots = states(&source);
    let mut export = LogExport::new(source).unwrap();
    let pieces = pieces(|| export.next_piece().unwrap());
    let target = StateStore::open(&folder.path().join("target"), &StoreOptions::default()).unwrap();
    let mut import = LogImport::new(Some(target.clone()), false).unwrap();
    for piece in &pieces {
        import.take(piece).unwrap();
    }
    for root in &roots {
        check(&target, root);
    }
}

#[test]
fn any_byte_that_is_changed_is_found() {
    let source = StateStore::in_memory(&StoreOptions::default());
    let root = states(&source)[3];
    let mut export = StateExport::new(source, root).unwrap();
    let piece = export.next_piece().unwrap().unwrap();
    let whole = |bytes: &[u8]| {
        let mut import = LogImport::new(None, true).unwrap();
        import.take(bytes).is_ok() && import.has_root(&root).unwrap()
    };
    assert!(whole(&piece));
    for at in 16..piece.len() {
        let mut changed = piece.clone();
        changed[at] ^= 1 << (at % 8);
        assert!(!whole(&changed), "byte {at}");
    }
    for length in (0..piece.len()).step_by(13) {
        assert!(!whole(&piece[..length]), "cut at {length}");
    }
}

/// Bytes before the nodes of a piece with one root and no long values.
const BEFORE_NODES: usize = 16 + 40;

/// The piece of a state with a single node.
fn single_node() -> Vec<u8> {
    let store = StateStore::in_memory(&StoreOptions::default());
    let mut writes = WriteSet::default();
    writes.accounts.push((owner(1), Account { nonce: U256::from(1), ..Account::default() }));
    let applied = store.apply(EMPTY_ROOT, &writes).unwrap();
    let root = applied.root();
    store.keep(applied);
    store.commit().unwrap();
    StateExport::new(store, root).unwrap().next_piece().unwrap().unwrap()
}

#[test]
fn a_piece_where_no_log_reaches_is_refused() {
    let piece = single_node();
    let length = (piece.len() - BEFORE_NODES) as u64;
    let refusal = |start: u64| {
        let mut moved = piece.clone();
        moved[..8].copy_from_slice(&start.to_le_bytes());
        // Its root stands at its first node.
        moved[BEFORE_NODES - 8..BEFORE_NODES].copy_from_slice(&start.to_le_bytes());
        let mut import = LogImport::new(None, true).unwrap();
        import.take(&moved).err().map(|error| error.to_string())
    };
    assert_eq!(refusal(1), None);
    assert_eq!(refusal((1 << 48) - length), None);
    for start in [(1 << 48) - length + 1, 1 << 48, u64::MAX - 3, u64::MAX] {
        assert_eq!(refusal(start), Some(format!("it begins at {start}, where no log reaches")));
    }
}

#[test]
fn a_child_whose_position_is_none_is_refused() {
    let piece = single_node();
    let (flags, length) = (BEFORE_NODES, BEFORE_NODES + 1..BEFORE_NODES + 5);
    assert_eq!(piece[flags], 0);
    let mut changed = [&piece[..length.end], &[0; 6], &piece[length.end..]].concat();
    changed[flags] = 1;
    let error = LogImport::new(None, true).unwrap().take(&changed).unwrap_err();
    assert!(error.to_string().contains("other flags than children"), "{error}");
}
