//! Bitcoin headers with real proof of work, under the easy target of a regression test network (bridge.md §3.1, §3.2).

mod support;

use rhizome_bitcoin::{BlockHeader, reversed};
use rhizome_primitives::abi::{self, AbiValue};
use rhizome_primitives::rules::Rule;
use rhizome_primitives::spec::ChainSpec;
use rhizome_primitives::{Address, B256, Bytes, U256, hex};
use support::{BridgeCells, Call, MemoryState};

/// First member of the regtest genesis federation.
const MEMBER: Address = Address::new(hex!("6b045752f4d650a510a353bbf7e52988331e7f5b"));
const TIME: u32 = 1_600_000_000;
const EASY: u32 = 0x207f_ffff;

/// A header on a parent, with or without enough work for the easy target.
fn header(parent: B256, mark: u8, works: bool) -> BlockHeader {
    let mut bytes = [0; 80];
    bytes[0] = 1;
    bytes[4..36].copy_from_slice(reversed(parent).as_slice());
    bytes[36..68].fill(mark);
    bytes[68..72].copy_from_slice(&TIME.to_le_bytes());
    bytes[72..76].copy_from_slice(&EASY.to_le_bytes());
    let with_nonce = |nonce: u32| {
        bytes[76..].copy_from_slice(&nonce.to_le_bytes());
        BlockHeader::new(bytes)
    };
    (0..).map(with_nonce).find(|header| (header.hash()[0] < 0x80) == works).expect("one in two")
}

/// Headers on top of one another.
fn chain(parent: B256, mark: u8, length: usize) -> Vec<BlockHeader> {
    let next = |below: &BlockHeader| Some(header(below.hash(), mark, true));
    std::iter::successors(Some(header(parent, mark, true)), next).take(length).collect()
}

fn genesis(spec: &ChainSpec) -> B256 {
    BlockHeader::parse(&spec.bridge.bitcoin.genesis_header).expect("a header").hash()
}

fn call(spec: &ChainSpec, timestamp: u64) -> Call {
    let mut call = Call { sender: MEMBER, ..Call::new(spec.clone(), 5) };
    call.block.timestamp = timestamp;
    call
}

fn run(call: &Call, state: &mut MemoryState, signature: &str, arguments: &[AbiValue]) -> Option<Bytes> {
    let data = [&abi::selector(signature)[..], &abi::encode(arguments)].concat();
    call.with(|context| rhizome_bridge::run(context, state, Some(&data))).expect("it runs")
}

fn bytes(header: &BlockHeader) -> AbiValue {
    AbiValue::Bytes(Bytes::copy_from_slice(header.as_bytes()))
}

fn receive_headers(spec: &ChainSpec, state: &mut MemoryState, headers: &[BlockHeader]) {
    let elements = AbiValue::Array(headers.iter().map(bytes).collect());
    run(&call(spec, 0), state, "receiveHeaders(bytes[])", &[elements]);
}

fn receive_header(spec: &ChainSpec, state: &mut MemoryState, timestamp: u64, element: AbiValue) -> U256 {
    let answer = run(&call(spec, timestamp), state, "receiveHeader(bytes)", &[element]);
    U256::from_be_slice(&answer.expect("a number"))
}

fn code(value: i64) -> U256 {
    U256::try_from(value.unsigned_abs())
        .map(|size| if value < 0 { size.wrapping_neg() } else { size })
        .expect("a number")
}

/// Height and hash of the head cell, with the number of bytes of its work.
fn head(state: &MemoryState) -> (u32, B256, usize) {
    let cell = state.bridge_cell(U256::from_be_slice(b"blockStoreChainHead")).expect("a head");
    let (rest, header) = cell.split_at(cell.len() - 80);
    let (work, height) = rest.split_at(rest.len() - 4);
    (u32::from_be_bytes(height.try_into().expect("four")), BlockHeader::parse(header).expect("80").hash(), work.len())
}

fn hash_at(state: &MemoryState, height: u32) -> Option<B256> {
    let key = rhizome_crypto::keccak256(format!("btcBlockHeight-{height}").as_bytes());
    state.bridge_cell(key.into()).map(|cell| B256::from_slice(&cell[1..]))
}

#[test]
fn a_longer_branch_becomes_the_best_chain_and_the_index_follows() {
    let (spec, mut state) = (support::regtest(), MemoryState::default());
    let first = chain(genesis(&spec), 1, 4);
    receive_headers(&spec, &mut state, &first);
    assert_eq!(head(&state), (4, first[3].hash(), 32));
    let branch = chain(first[0].hash(), 2, 4);
    receive_headers(&spec, &mut state, &branch[..3]);
    assert_eq!(head(&state), (4, first[3].hash(), 32), "as much work");
    assert!(state.bridge_cell(branch[2].hash().into()).is_some());
    assert_eq!(hash_at(&state, 2), Some(first[1].hash()));
    receive_headers(&spec, &mut state, &branch[3..]);
    assert_eq!(head(&state), (5, branch[3].hash(), 32), "more work");
    assert_eq!(hash_at(&state, 1), Some(first[0].hash()));
    for (height, header) in (2..).zip(&branch) {
        assert_eq!(hash_at(&state, height), Some(header.hash()), "{height}");
    }
}

#[test]
fn a_header_that_cannot_be_added_is_left_out() {
    let (spec, mut state) = (support::regtest(), MemoryState::default());
    let good = chain(genesis(&spec), 1, 3);
    let orphan = header(B256::repeat_byte(9), 1, true);
    let weak = header(good[0].hash(), 2, false);
    let mut hard = *header(good[0].hash(), 3, true).as_bytes();
    hard[72..76].copy_from_slice(&0x207f_fffe_u32.to_le_bytes());
    let hard = BlockHeader::new(hard);
    receive_headers(&spec, &mut state, &[good[0], orphan, weak, hard, good[0], good[1], good[2]]);
    assert_eq!(head(&state).0, 3);
    for left_out in [orphan, weak, hard] {
        assert!(state.bridge_cell(left_out.hash().into()).is_none());
    }
}

#[test]
fn the_work_has_twelve_bytes_and_heights_no_index_before_their_rules() {
    let later = [Rule::Rskip454, Rule::Rskip199];
    let spec = support::spec("regtest", 33, |rule| !later.contains(&rule) && rule != Rule::AreBridgeTxsPaid);
    let mut state = MemoryState::default();
    let headers = chain(genesis(&spec), 1, 2);
    receive_headers(&spec, &mut state, &headers);
    assert_eq!(head(&state), (2, headers[1].hash(), 12));
    assert_eq!(hash_at(&state, 2), None);
}

#[test]
fn one_header_is_answered_by_a_code() {
    let (spec, mut state) = (support::regtest(), MemoryState::default());
    let headers = chain(genesis(&spec), 1, 30);
    let too_long = AbiValue::Bytes(Bytes::from_static(&[0; 81]));
    assert_eq!(receive_header(&spec, &mut state, 1_000, too_long), code(-20));
    assert_eq!(receive_header(&spec, &mut state, 1_000, bytes(&headers[1])), code(-3));
    assert_eq!(receive_header(&spec, &mut state, 1_000, bytes(&header(genesis(&spec), 2, false))), code(-99));
    assert_eq!(receive_header(&spec, &mut state, 1_000, bytes(&headers[0])), code(0));
    assert_eq!(state.named("receiveHeadersLastTimestamp").as_deref(), Some("8203e8"));
    assert_eq!(receive_header(&spec, &mut state, 1_299, bytes(&headers[0])), code(-4));
    assert_eq!(receive_header(&spec, &mut state, 1_299, bytes(&headers[1])), code(-1));
    assert_eq!(receive_header(&spec, &mut state, 1_300, bytes(&headers[1])), code(0));
    receive_headers(&spec, &mut state, &headers[2..]);
    let beside = |height: usize| bytes(&header(headers[height - 2].hash(), 7, true));
    assert_eq!(receive_header(&spec, &mut state, 2_000, beside(4)), code(-2));
    assert_eq!(receive_header(&spec, &mut state, 2_000, beside(5)), code(0));
    assert_eq!(head(&state).0, 30);
}

#[test]
fn before_rskip124_a_count_of_transactions_may_follow() {
    let spec = support::spec("regtest", 33, |rule| {
        let number: u32 = rule.name().trim_start_matches("rskip").parse().unwrap_or(156);
        rule != Rule::AreBridgeTxsPaid && number < 124
    });
    let headers = chain(genesis(&spec), 1, 3);
    let list = |ends: &[&[u8]]| {
        let elements = headers.iter().zip(ends).map(|(header, end)| [header.as_bytes(), *end].concat());
        [AbiValue::Array(elements.map(|element| AbiValue::Bytes(element.into())).collect())]
    };
    let mut state = MemoryState::default();
    run(&call(&spec, 0), &mut state, "receiveHeaders(bytes[])", &list(&[&[0], &[], &[0, 1, 2, 3, 4]]));
    assert_eq!(head(&state).0, 3);
    for refused in [&[1][..], &[0; 6], &[0xfe, 0, 0, 0, 0x80]] {
        let (mut state, call) = (MemoryState::default(), call(&spec, 0));
        let data = [&abi::selector("receiveHeaders(bytes[])")[..], &abi::encode(&list(&[refused]))].concat();
        assert!(call.with(|context| rhizome_bridge::run(context, &mut state, Some(&data))).is_err(), "{refused:?}");
        assert!(state.cells.is_empty());
    }
}
