//! The Bridge's writes on a chain without Bitcoin activity (bridge.md §2.4), for each set of rules.

mod support;

use rhizome_bridge::method::DEFINITIONS;
use rhizome_primitives::abi::selector;
use rhizome_primitives::contract::{CallType, ContractError, SignedHash};
use rhizome_primitives::rules::Rule;
use rhizome_primitives::spec::ChainSpec;
use rhizome_primitives::{Address, B256, Bytes, U256, hex};
use support::{BridgeCells, Call, MemoryState};

const UPDATE_COLLECTIONS: [u8; 4] = hex!("0c5a9990");
/// First member of the regtest genesis federation.
const MEMBER: Address = Address::new(hex!("6b045752f4d650a510a353bbf7e52988331e7f5b"));

/// First coordinate of a point of the curve: with it any signature recovers to a key.
const ABSCISSA: B256 = B256::new(hex!("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"));

/// Rules whose number is below the given one; those without number count as 156.
fn regtest_until(limit: u32) -> ChainSpec {
    support::spec("regtest", 33, |rule| {
        let number = rule.name().trim_start_matches("rskip").parse().unwrap_or(156);
        rule != Rule::AreBridgeTxsPaid && number < limit
    })
}

fn by_member(spec: ChainSpec, number: u64) -> Call {
    Call { sender: MEMBER, ..Call::new(spec, number) }
}

fn run(call: &Call, state: &mut MemoryState, data: &[u8]) -> Result<Option<Bytes>, ContractError> {
    call.with(|context| rhizome_bridge::run(context, state, Some(data)))
}

#[test]
fn the_first_update_writes_the_empty_lists() {
    for (limit, output, names) in [
        (146, None, &["releaseRequestQueue", "releaseTransactionSet", "rskTxsWaitingFS", "newFederationBtcUTXOs"][..]),
        (
            271,
            None,
            &[
                "releaseRequestQueue",
                "releaseRequestQueueWithTxHash",
                "releaseTransactionSet",
                "releaseTransactionSetWithTxHash",
                "rskTxsWaitingFS",
                "newFederationBtcUTXOs",
            ],
        ),
    ] {
        let mut state = MemoryState::default();
        assert_eq!(run(&by_member(regtest_until(limit), 5), &mut state, &UPDATE_COLLECTIONS).expect("it runs"), output);
        assert_eq!(state.cells.len(), names.len(), "{limit}");
        for name in names {
            assert_eq!(state.named(name).as_deref(), Some("c0"), "{limit} {name}");
        }
    }
    let mut state = MemoryState::default();
    let call = by_member(support::regtest(), 5);
    assert_eq!(run(&call, &mut state, &UPDATE_COLLECTIONS).expect("it runs"), Some(Bytes::new()));
    assert_eq!(state.cells.len(), 7);
    // 50 blocks after block 5.
    assert_eq!(state.named("nextPegoutHeight").as_deref(), Some("37"));
    assert_eq!(
        call.with(|context| rhizome_bridge::gas(context, &mut state, Some(&UPDATE_COLLECTIONS))).expect("free"),
        0
    );
}

#[test]
fn the_update_tells_its_sender_in_the_form_of_its_era() {
    let mut state = MemoryState::default();
    run(&by_member(regtest_until(146), 5), &mut state, &UPDATE_COLLECTIONS).expect("it runs");
    assert_eq!(state.logs[0].topics, [B256::left_padding_from(b"update_collections_topic")]);
    assert_eq!(hex::encode(&state.logs[0].data), format!("94{}", hex::encode(MEMBER)));

    let mut state = MemoryState::default();
    run(&by_member(support::regtest(), 5), &mut state, &UPDATE_COLLECTIONS).expect("it runs");
    let topic = hex!("1069152f4f916cbf155ee32a695d92258481944edb5b6fd649718fc1b43e515e");
    assert_eq!(state.logs[0].topics, [B256::new(topic)]);
    assert_eq!(state.logs[0].data.as_ref(), MEMBER.into_word().as_slice());
}

#[test]
fn a_later_update_moves_the_next_height_only_when_it_is_due() {
    let mut state = MemoryState::default();
    run(&by_member(support::regtest(), 5), &mut state, &UPDATE_COLLECTIONS).expect("it runs");
    run(&by_member(support::regtest(), 54), &mut state, &UPDATE_COLLECTIONS).expect("it runs");
    assert_eq!(state.named("nextPegoutHeight").as_deref(), Some("37"));
    run(&by_member(support::regtest(), 55), &mut state, &UPDATE_COLLECTIONS).expect("it runs");
    assert_eq!(state.named("nextPegoutHeight").as_deref(), Some("69"));
}

#[test]
fn strangers_are_refused_and_leave_nothing() {
    let mut state = MemoryState::default();
    let outcome = run(&Call::new(support::regtest(), 5), &mut state, &UPDATE_COLLECTIONS);
    assert!(matches!(outcome, Err(ContractError::Failed(_))));
    assert_eq!(state, MemoryState::default());
}

#[test]
fn every_method_is_run() {
    for definition in DEFINITIONS {
        let until = !definition.is_enabled(regtest_until(600).rules_at(5));
        let spec = regtest_until(if until { 88 } else { 600 });
        // Offsets of zero: bytes and arrays begin with their own head and are empty.
        let data = [&selector(&definition.signature())[..], &[0; 8 * 32]].concat();
        for local in [false, true] {
            let call = Call { local, ..by_member(spec.clone(), 5) };
            match run(&call, &mut MemoryState::default(), &data) {
                Err(ContractError::Failed(text)) => {
                    assert!(!text.contains("no group") && !text.contains("call data"), "{}: {text}", definition.name);
                }
                outcome => assert!(outcome.is_ok(), "{}: {outcome:?}", definition.name),
            }
        }
    }
}

#[test]
fn unknown_data_fails_from_rskip88_on_and_is_ignored_before() {
    for data in [&[0xfa; 4][..], &[1, 2, 3], &hex!("efd44418ff")] {
        let mut state = MemoryState::default();
        assert!(matches!(run(&Call::new(support::regtest(), 5), &mut state, data), Err(ContractError::Failed(_))));
        assert_eq!(run(&Call::new(regtest_until(88), 5), &mut state, data).expect("ignored"), None);
        let price =
            Call::new(support::regtest(), 5).with(|context| rhizome_bridge::gas(context, &mut state, Some(data)));
        assert_eq!(price.expect("a price"), 23_000);
        assert_eq!(state, MemoryState::default());
    }
}

#[test]
fn contracts_have_no_price_before_rskip88() {
    let call = Call { from_contract: true, ..Call::new(regtest_until(88), 5) };
    assert!(call.with(|context| rhizome_bridge::gas(context, &mut MemoryState::default(), None)).is_err());
}

#[test]
fn a_refused_transfer_comes_back_from_rskip185_on() {
    let value = U256::from(123_456_789_012_345_u64);
    let whole_satoshi = U256::from(123_450_000_000_000_u64);
    for (limit, returned, logged) in
        [(185, U256::ZERO, None), (219, whole_satoshi, Some(12_345)), (427, whole_satoshi, Some(12_345))]
    {
        let signature =
            Some(SignedHash { hash: B256::repeat_byte(1), parity: 0, r: ABSCISSA, s: B256::with_last_byte(1) });
        let call = Call { value, signature, ..Call::new(regtest_until(limit), 5) };
        let mut state = MemoryState::default();
        call.with(|context| rhizome_bridge::run(context, &mut state, None)).expect("it is refused quietly");
        assert_eq!(state.balance_of(call.sender), returned, "{limit}");
        let amount = state.logs.first().map(|log| U256::from_be_slice(&log.data[..32]));
        assert_eq!(amount, logged.map(U256::from), "{limit}");
        assert!(state.cells.is_empty() && state.transfers.is_empty());
    }
}

#[test]
fn a_contract_that_sends_value_is_reported_and_not_paid_back() {
    let call = Call { from_contract: true, value: U256::from(5), ..Call::new(support::regtest(), 5) };
    let mut state = MemoryState::default();
    call.with(|context| rhizome_bridge::run(context, &mut state, None)).expect("it is refused quietly");
    assert!(state.accounts.is_empty());
    assert_eq!(state.logs[0].data[63], 2);
    let early = Call { spec: regtest_until(185), ..call };
    assert!(early.with(|context| rhizome_bridge::run(context, &mut state, None)).is_err());
}

#[test]
fn call_types_count_from_rskip417_on() {
    let selector = hex!("f4e4f963");
    for (call_type, refused) in [
        (CallType::Call, false),
        (CallType::StaticCall, false),
        (CallType::DelegateCall, true),
        (CallType::CallCode, true),
    ] {
        let call = Call { from_contract: true, call_type, ..Call::new(support::regtest(), 5) };
        assert_eq!(run(&call, &mut MemoryState::default(), &selector).is_err(), refused, "{call_type:?}");
        let early = Call { spec: regtest_until(417), ..call };
        assert!(run(&early, &mut MemoryState::default(), &selector).is_ok(), "{call_type:?}");
    }
}

#[test]
fn a_price_that_cannot_be_paid_leaves_the_open_header_store() {
    let data = [&hex!("5b644587")[..], &[0; 96], &[0; 31], &[0x80], &[0; 32]].concat();
    let call = Call::new(support::regtest(), 5);
    let mut state = MemoryState::default();
    let price = call.with(|context| rhizome_bridge::gas(context, &mut state, Some(&data))).expect("a price");
    assert_eq!(price, 27_000 + 2 * data.len() as u64);
    assert!(state.cells.is_empty());
    call.with(|context| rhizome_bridge::refuse(context, &mut state, Some(&data))).expect("it opens");
    assert_eq!(state.cells.len(), 2);
    assert!(state.named("blockStoreChainHead").is_some());
}

#[test]
fn the_merkle_root_of_the_first_block_is_its_only_transaction() {
    let block = hex!("0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206");
    let root = hex!("4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b");
    let data = [&hex!("5b644587")[..], &root, &block, &[0; 32], &[0; 31], &[0x80], &[0; 32]].concat();
    let mut state = MemoryState::default();
    let answer = run(&Call::new(support::regtest(), 5), &mut state, &data).expect("it runs").expect("a number");
    assert_eq!(answer[31], 1);
    // First header, chain head and the index cell of height 0.
    assert_eq!(state.cells.len(), 3);
}

#[test]
fn votes_of_strangers_are_counted_out() {
    for selector in [hex!("1183d5d1"), hex!("8dec3d32"), hex!("0461313e"), hex!("fcdeb46f")] {
        let data = [&selector[..], &[0; 31], &[0x20], &[0; 64]].concat();
        let mut state = MemoryState::default();
        let answer = run(&Call::new(support::regtest(), 5), &mut state, &data).expect("it runs").expect("a code");
        assert_eq!(answer[..], (-U256::from(10)).to_be_bytes::<32>());
        assert!(state.cells.is_empty());
    }
}

#[test]
fn registrations_without_confirmations_are_passed_over() {
    let data = [&hex!("43dc0656")[..], &[0; 31], &[0x60], &[0; 32], &[0; 31], &[0x60], &[0; 32]].concat();
    let mut state = MemoryState::default();
    assert_eq!(run(&Call::new(support::regtest(), 5), &mut state, &data).expect("in silence"), Some(Bytes::new()));
    assert_eq!(state.named("btcTxHashesAP").as_deref(), Some("c0"));
    // The list, first header, chain head and the index cell of height 0.
    assert_eq!(state.cells.len(), 4);
    assert!(run(&Call::new(regtest_until(199), 5), &mut MemoryState::default(), &data).is_err());
}
