//! Cases that the recorded storage actions do not cover: cells that move, objects that are set to nothing, marks that
//! may be set once (bridge.md §2.2, §2.4).

mod support;

use rhizome_bridge::recorded::{Federation, Frame, Utxo};
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;
use rhizome_primitives::spec::ChainSpec;
use rhizome_primitives::{B256, Bytes, U256};
use support::{BridgeCells, MemoryState};

fn without(network: &str, chain_id: u8, rules: &[Rule]) -> ChainSpec {
    support::spec(network, chain_id, |rule| !rules.contains(&rule))
}

/// Runs changes on a state and saves them.
fn change<T>(
    spec: &ChainSpec,
    state: &mut MemoryState,
    changes: impl FnOnce(&mut Frame<'_>) -> Result<T, ContractError>,
) -> Result<T, ContractError> {
    let mut frame = Frame::new(spec, spec.rules_at(10), 10, state);
    let result = changes(&mut frame)?;
    frame.save()?;
    Ok(result)
}

fn utxo() -> Utxo {
    Utxo {
        value: 5,
        script: vec![0x51].into(),
        transaction: B256::repeat_byte(1),
        index: 2,
        height: 0,
        coinbase: false,
    }
}

#[test]
fn the_list_of_the_test_network_moves_twice() {
    let all = [Rule::Rskip284, Rule::Rskip293];
    for (network, inactive, cell) in [
        ("testnet", &all[..], "newFederationBtcUTXOs"),
        ("testnet", &all[1..], "newFederationBtcUTXOsForTestnet"),
        ("testnet", &[], "newFedBtcUTXOsForTestnetPostHop"),
        ("main", &[], "newFederationBtcUTXOs"),
    ] {
        let spec = without(network, 31, inactive);
        let mut state = MemoryState::default();
        change(&spec, &mut state, |frame| {
            frame.new_utxos()?.edit().push(utxo());
            Ok(())
        })
        .expect("a list");
        assert_eq!(state.cells.len(), 1, "{cell}");
        assert!(state.named(cell).is_some(), "{cell}");
        let read = change(&spec, &mut state, |frame| frame.new_utxos().map(|utxos| utxos.to_vec())).expect("a list");
        assert_eq!(read, [utxo()]);
    }
}

#[test]
fn no_old_federation_leaves_the_first_version() {
    let spec = support::regtest();
    let mut state = MemoryState::default();
    let genesis = Federation::genesis(&spec.bridge, spec.rules_at(10)).expect("a federation");
    change(&spec, &mut state, |frame| {
        frame.set_old_federation(Some(genesis.clone()));
        Ok(())
    })
    .expect("saved");
    assert_eq!(state.named("oldFederationFormatVersion").as_deref(), Some("820fa0"));
    assert_eq!(change(&spec, &mut state, |frame| frame.old_federation()).expect("read"), Some(genesis));
    let written = state.clone();
    change(&spec, &mut state, |frame| frame.old_federation()).expect("read");
    assert_eq!(state, written);
    change(&spec, &mut state, |frame| {
        frame.set_old_federation(None);
        assert_eq!(frame.old_federation()?, None);
        Ok(())
    })
    .expect("saved");
    assert_eq!(state.named("oldFederation"), None);
    assert_eq!(state.named("oldFederationFormatVersion").as_deref(), Some("8203e8"));
}

#[test]
fn a_new_federation_that_is_read_is_converted() {
    let (before, after) = (without("main", 30, &[Rule::Rskip123]), without("main", 30, &[]));
    let mut state = MemoryState::default();
    let genesis = Federation::genesis(&before.bridge, before.rules_at(10)).expect("a federation");
    change(&before, &mut state, |frame| {
        frame.set_new_federation(genesis);
        Ok(())
    })
    .expect("saved");
    let short = state.named("newFederation");
    assert_eq!(state.named("newFederationFormatVersion"), None);
    change(&before, &mut state, |frame| frame.new_federation()).expect("read");
    assert_eq!(state.named("newFederation"), short);
    change(&after, &mut state, |frame| frame.new_federation()).expect("read");
    assert_ne!(state.named("newFederation"), short);
    assert_eq!(state.named("newFederationFormatVersion").as_deref(), Some("8203e8"));
}

#[test]
fn cleared_heights_and_hashes_are_gone() {
    let spec = support::regtest();
    let mut state = MemoryState::default();
    state.set_bridge_cell(U256::from_be_slice(b"nextFedCreationBlockHeight"), Bytes::from_static(&[7]));
    assert_eq!(change(&spec, &mut state, |frame| frame.next_creation_height()).expect("read"), Some(7));
    change(&spec, &mut state, |frame| {
        frame.clear_next_creation_height();
        Ok(())
    })
    .expect("saved");
    assert_eq!(state.named("nextFedCreationBlockHeight"), None);
    change(&spec, &mut state, |frame| {
        frame.set_svp_fund_unsigned(Some(B256::ZERO));
        Ok(())
    })
    .expect("saved");
    assert!(state.named("svpFundTxHashUnsigned").is_some());
    change(&spec, &mut state, |frame| {
        frame.clear_svp();
        assert_eq!(frame.svp_fund_unsigned()?, None);
        Ok(())
    })
    .expect("saved");
    assert_eq!(state.named("svpFundTxHashUnsigned"), None);
}

#[test]
fn releases_are_noted_once() {
    let spec = support::regtest();
    let mut state = MemoryState::default();
    let hash = B256::repeat_byte(3);
    let note = |frame: &mut Frame<'_>| {
        frame.add_pegout_signature_hash(hash)?;
        frame.add_pegout_signature_hash(hash)
    };
    change(&spec, &mut state, note).expect("twice in one call is no error");
    assert!(change(&spec, &mut state, note).is_err());
    change(&spec, &mut state, |frame| frame.set_outpoint_values(hash, vec![1])).expect("saved");
    assert!(change(&spec, &mut state, |frame| frame.set_outpoint_values(hash, vec![1])).is_err());
    assert!(change(&spec, &mut state, |frame| frame.set_outpoint_values(B256::ZERO, Vec::new())).is_err());
}

#[test]
fn unlimited_entries_count_only_beside_one_off_entries() {
    let spec = support::regtest();
    let mut state = MemoryState::default();
    let unlimited = U256::from_be_slice(b"unlimitedLockWhitelist");
    let mut cell = vec![0xd5, 0x94];
    cell.extend_from_slice(&[9; 20]);
    state.set_bridge_cell(unlimited, cell.into());
    let size = |frame: &mut Frame<'_>| Ok(frame.whitelist()?.entries.len());
    assert_eq!(change(&spec, &mut state.clone(), size).expect("read"), 0);
    state.set_bridge_cell(
        U256::from_be_slice(b"lockWhitelist"),
        Bytes::from_static(&[0xc5, 0x84, 0x7f, 0xff, 0xff, 0xff]),
    );
    assert_eq!(change(&spec, &mut state, size).expect("read"), 1);
}
