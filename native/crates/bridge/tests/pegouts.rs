//! Peg-outs: requests, batches, confirmations (bridge.md §4.1, §4.3).

mod support;

use rhizome_bitcoin::{Output, Transaction};
use rhizome_bridge::recorded::{
    Federation, ReleaseRequest, Utxo, WaitingForSignatures, WaitingPegout, decode_requests_with_hash,
    encode_confirmations, encode_requests, encode_utxos,
};
use rhizome_crypto::{hash160, sign};
use rhizome_primitives::contract::{ContractError, SignedHash};
use rhizome_primitives::{Address, B256, Bytes, U256, hex};
use secp256k1::{Secp256k1, SecretKey};
use support::{BridgeCells, Call, MemoryState};

const UPDATE_COLLECTIONS: [u8; 4] = hex!("0c5a9990");
/// First member of the regtest genesis federation.
const MEMBER: Address = Address::new(hex!("6b045752f4d650a510a353bbf7e52988331e7f5b"));
const BURNT: Address = Address::repeat_byte(0xff);
const RELEASE_REQUESTED: B256 = B256::new(hex!("7a7c29481528ac8c2b2e93aee658fddd4dc15304fa723a5c2b88514557bcc790"));

fn put(state: &mut MemoryState, name: &str, value: Vec<u8>) {
    state.set_bridge_cell(U256::from_be_slice(name.as_bytes()), value.into());
}

fn request(amount: i64, number: u8) -> ReleaseRequest {
    ReleaseRequest { destination: [number; 20], amount, transaction_hash: Some(B256::repeat_byte(number)) }
}

/// A Bridge whose genesis federation holds one output.
fn rich(value: i64) -> MemoryState {
    let chain = support::regtest();
    let federation = Federation::genesis(&chain.bridge, chain.rules_at(1)).expect("a federation");
    let script = federation.output_script().expect("a script");
    let transaction = B256::repeat_byte(1);
    let utxo = Utxo { value, script: script.into(), transaction, index: 0, height: 0, coinbase: false };
    let mut state = MemoryState::default();
    put(&mut state, "newFederationBtcUTXOs", encode_utxos(&[utxo]));
    state
}

fn update(state: &mut MemoryState) -> Result<Option<Bytes>, ContractError> {
    let call = Call { sender: MEMBER, ..Call::new(support::regtest(), 100) };
    call.with(|context| rhizome_bridge::run(context, state, Some(&UPDATE_COLLECTIONS)))
}

fn wei(satoshi: i64) -> U256 {
    U256::from(satoshi) * U256::from(10_000_000_000_u64)
}

fn queue(state: &MemoryState) -> Vec<ReleaseRequest> {
    let cell = state.named("releaseRequestQueueWithTxHash").expect("the queue");
    decode_requests_with_hash(&hex::decode(cell).expect("hexadecimal digits")).expect("a queue")
}

#[test]
fn what_change_above_dust_costs_is_burnt() {
    let mut state = rich(2_000_100);
    put(
        &mut state,
        "releaseRequestQueueWithTxHash",
        encode_requests(&[request(1_000_000, 2), request(1_000_000, 3)], true),
    );
    update(&mut state).expect("it runs");
    assert!(queue(&state).is_empty());
    assert_eq!(state.named("newFederationBtcUTXOs").as_deref(), Some("c0"));
    // 100 satoshi of change became 2,700.
    assert_eq!(state.balance_of(BURNT), wei(2_600));
    assert_eq!(state.transfers, [(rhizome_bridge::ADDRESS, BURNT, wei(2_600))]);
}

#[test]
fn a_batch_that_is_too_long_is_halved_but_settled_whole() {
    const REQUESTS: usize = 3_000;
    let requests: Vec<_> = (0..REQUESTS)
        .map(|number| {
            let hash = B256::from(U256::from(number + 1));
            ReleaseRequest { transaction_hash: Some(hash), ..request(250_000, 2) }
        })
        .collect();
    let mut state = rich(1_000_000_000);
    put(&mut state, "releaseRequestQueueWithTxHash", encode_requests(&requests, true));
    update(&mut state).expect("it runs");
    assert_eq!(queue(&state), requests[REQUESTS / 2..]);
    let total = 250_000 * REQUESTS as i64;
    let event = state.logs.iter().find(|log| log.topics[0] == RELEASE_REQUESTED).expect("the event");
    assert_eq!(U256::from_be_slice(&event.data), U256::from(total));
    assert_eq!(state.balance_of(BURNT), wei(total / 2), "the unpaid half counts as overpaid");
    assert_eq!(state.named("nextPegoutHeight").as_deref(), Some("80"), "the rest is due at once");
}

#[test]
fn a_request_without_hash_ends_the_batch_and_the_call() {
    let mut state = rich(3_000_000);
    let old = ReleaseRequest { transaction_hash: None, ..request(1_000_000, 2) };
    put(&mut state, "releaseRequestQueue", encode_requests(&[old], false));
    let before = state.cells.clone();
    assert!(matches!(update(&mut state), Err(ContractError::Failed(_))));
    assert_eq!(state.cells, before);
}

#[test]
fn two_peg_outs_do_not_wait_for_signatures_under_one_hash() {
    let hash = B256::repeat_byte(7);
    let peg_out = |value| {
        let mut made = Transaction::new(2);
        made.outputs.push(Output { value, script: vec![0x51] });
        // Without inputs the bytes would read as a witness marker.
        made.inputs.push(rhizome_bitcoin::Input::new(rhizome_bitcoin::OutPoint { txid: hash, index: 0 }));
        made
    };
    let mut state = MemoryState::default();
    let waiting = WaitingPegout { transaction: peg_out(1), created_at: 5, transaction_hash: Some(hash) };
    put(&mut state, "releaseTransactionSetWithTxHash", encode_confirmations([&waiting], true));
    let mut others = state.clone();
    update(&mut state).expect("it runs");
    let mut signing = WaitingForSignatures::default();
    signing.insert(hash, peg_out(1));
    assert_eq!(state.named("rskTxsWaitingFS"), Some(hex::encode(signing.encode())));

    let mut signing = WaitingForSignatures::default();
    signing.insert(hash, peg_out(2));
    put(&mut others, "rskTxsWaitingFS", signing.encode());
    assert!(matches!(update(&mut others), Err(ContractError::Failed(_))));
}

#[test]
fn value_is_paid_out_to_the_key_that_signed() {
    let key = B256::repeat_byte(0x42);
    let hash = B256::repeat_byte(0x24);
    let signature = sign(&hash, &key).expect("a signature");
    let mut call = Call::new(support::regtest(), 100);
    call.value = wei(3_000_000) + U256::ONE;
    let unsigned = call.with(|context| rhizome_bridge::run(context, &mut MemoryState::default(), None));
    assert!(matches!(unsigned, Err(ContractError::Failed(_))), "{unsigned:?}");

    call.signature = Some(SignedHash { hash, parity: signature.parity, r: signature.r, s: signature.s });
    let mut state = MemoryState::default();
    call.with(|context| rhizome_bridge::run(context, &mut state, None)).expect("it runs");
    let secret = SecretKey::from_byte_array(key.0).expect("a key");
    let public = secret.public_key(&Secp256k1::new()).serialize();
    let expected = ReleaseRequest {
        destination: hash160(&public),
        amount: 3_000_000,
        transaction_hash: Some(B256::repeat_byte(0x11)),
    };
    assert_eq!(queue(&state), [expected]);
}
