//! Peg-ins and fly-over deposits on a Bitcoin chain that is written into the state (bridge.md §4.2, §4.4).

mod support;

use rhizome_bitcoin::partial_merkle_tree;
use rhizome_bitcoin::script::ScriptBuilder;
use rhizome_bitcoin::script::opcode::{OP_CHECKSIG, OP_DUP, OP_EQUALVERIFY, OP_HASH160, OP_RETURN};
use rhizome_bitcoin::stored_header::StoredHeader;
use rhizome_bitcoin::{Input, OutPoint, Output, Transaction, reversed};
use rhizome_bridge::recorded::{Federation, Utxo, WaitingPegout, decode_confirmations_with_hash, decode_utxos};
use rhizome_crypto::keccak256;
use rhizome_primitives::abi::{self, AbiValue};
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::{Address, B256, Bytes, U256, hex};
use support::{BridgeCells, Call, MemoryState};

/// Height of the block with the transaction, where the index of peg-outs classifies transactions.
const HEIGHT: i32 = 1_000;
const KEY: [u8; 33] = hex!("0213bef446466d4798bd530e002c335f2c6f94759d46f6bacb49bee9d31f278582");
const RECEIVER: Address = Address::repeat_byte(0x5c);
const CONTRACT: Address = Address::repeat_byte(0xcc);
const WEI: u64 = 10_000_000_000;

/// Cells by name.
fn named(name: &str) -> U256 {
    U256::from_be_slice(name.as_bytes())
}

/// A call of a contract, as the Bridge sees it.
fn call() -> Call {
    Call { sender: CONTRACT, from_contract: true, ..Call::new(support::regtest(), 20) }
}

fn federation() -> Federation {
    let call = call();
    Federation::genesis(&call.spec.bridge, call.rules()).expect("a federation")
}

/// The Bridge's initial balance.
fn funded() -> MemoryState {
    let mut state = MemoryState::default();
    state.credit(rhizome_bridge::ADDRESS, U256::from(2_100_000_000_000_000_u64) * U256::from(WEI));
    state
}

/// Puts the transaction into a block of its own below two others, and returns its proof.
fn mine(state: &mut MemoryState, raw: &[u8]) -> Vec<u8> {
    let leaf = reversed(rhizome_bitcoin::display_hash(raw));
    let mut parent = B256::repeat_byte(1);
    for above in 0..3 {
        let mut header = [0; 80];
        header[4..36].copy_from_slice(reversed(parent).as_slice());
        header[36..68].copy_from_slice(leaf.as_slice());
        header[72] = above;
        let stored = StoredHeader { chain_work: U256::from(7), height: HEIGHT + i32::from(above), header };
        let encoded = Bytes::from(stored.encode(true).expect("it fits"));
        parent = stored.hash();
        state.set_bridge_cell(parent.into(), encoded.clone());
        state.set_bridge_cell(named("blockStoreChainHead"), encoded);
    }
    partial_merkle_tree::build(&[leaf], |_| true).expect("a tree")
}

fn pushes(elements: &[&[u8]]) -> Vec<u8> {
    let mut script = ScriptBuilder::default();
    elements.iter().for_each(|element| {
        script.data(element);
    });
    script.finish()
}

/// A transaction of the holder of the key.
fn transaction(outputs: &[(i64, Vec<u8>)]) -> Transaction {
    let mut made = Transaction::new(2);
    let mut input = Input::new(OutPoint { txid: B256::repeat_byte(9), index: 0 });
    input.script = pushes(&[&[0x30; 71], &KEY]);
    made.inputs.push(input);
    made.outputs.extend(outputs.iter().map(|(value, script)| Output { value: *value, script: script.clone() }));
    made
}

fn op_return(data: &[u8]) -> (i64, Vec<u8>) {
    let mut script = ScriptBuilder::default();
    script.op(OP_RETURN).data(data);
    (0, script.finish())
}

fn instructions() -> (i64, Vec<u8>) {
    op_return(&[&b"RSKT\x01"[..], RECEIVER.as_slice()].concat())
}

fn to_federation(satoshi: i64) -> (i64, Vec<u8>) {
    (satoshi, federation().output_script().expect("a script"))
}

fn run(state: &mut MemoryState, signature: &str, arguments: &[AbiValue]) -> Result<Option<Bytes>, ContractError> {
    let data = [&abi::selector(signature)[..], &abi::encode(arguments)].concat();
    call().with(|context| rhizome_bridge::run(context, state, Some(&data)))
}

fn register(state: &mut MemoryState, transaction: &Transaction) -> Result<(), ContractError> {
    let raw = transaction.serialize();
    let proof = mine(state, &raw);
    let arguments = [AbiValue::Bytes(raw.into()), AbiValue::int(i64::from(HEIGHT)), AbiValue::Bytes(proof.into())];
    run(state, "registerBtcTransaction(bytes,int256,bytes)", &arguments).map(|_| ())
}

fn kept(state: &MemoryState) -> Vec<Utxo> {
    state.bridge_cell(named("newFederationBtcUTXOs")).map_or(Vec::new(), |cell| decode_utxos(cell).expect("outputs"))
}

fn waiting(state: &MemoryState) -> Vec<WaitingPegout> {
    let cell = state.bridge_cell(named("releaseTransactionSetWithTxHash"));
    cell.map_or(Vec::new(), |cell| decode_confirmations_with_hash(cell).expect("peg-outs"))
}

fn events(state: &MemoryState, signature: &str) -> usize {
    state.logs.iter().filter(|log| log.topics.first() == Some(&keccak256(signature.as_bytes()))).count()
}

#[test]
fn a_pegin_is_paid_out_once_and_kept() {
    let mut state = funded();
    let pegin = transaction(&[instructions(), to_federation(2_000_000), (7, vec![0x51]), to_federation(3_000_000)]);
    register(&mut state, &pegin).expect("it runs");
    let wei = U256::from(5_000_000) * U256::from(WEI);
    assert_eq!(state.balance_of(RECEIVER), wei);
    assert_eq!(state.transfers, [(rhizome_bridge::ADDRESS, RECEIVER, wei)]);
    assert_eq!(events(&state, "pegin_btc(address,bytes32,int256,int256)"), 1);
    let outputs: Vec<_> = kept(&state).iter().map(|utxo| (utxo.transaction, utxo.index, utxo.value)).collect();
    assert_eq!(outputs, [(pegin.txid(), 1, 2_000_000), (pegin.txid(), 3, 3_000_000)]);
    let before = state.clone();
    register(&mut state, &pegin).expect("it is passed over");
    assert_eq!(state, before);
}

#[test]
fn an_opcode_in_place_of_the_hash_of_a_key_ends_the_call() {
    let odd = vec![OP_DUP, OP_HASH160, OP_DUP, OP_EQUALVERIFY, OP_CHECKSIG];
    let mut state = funded();
    let pegin = transaction(&[to_federation(2_000_000), (1, odd)]);
    assert!(matches!(register(&mut state, &pegin), Err(ContractError::Failed(_))));
    assert_eq!((state.logs.len(), kept(&state)), (0, Vec::new()));
}

#[test]
fn an_output_that_is_no_script_rejects_the_pegin_and_ends_the_call_when_it_comes_first() {
    let no_script = (1, vec![5, 1]);
    let mut state = funded();
    register(&mut state, &transaction(&[to_federation(2_000_000), no_script.clone()])).expect("it is sent back");
    assert_eq!(events(&state, "rejected_pegin(bytes32,int256)"), 1);
    assert_eq!(waiting(&state).len(), 1);
    let mut state = funded();
    assert!(register(&mut state, &transaction(&[no_script, to_federation(2_000_000)])).is_err());
    assert_eq!((events(&state, "rejected_pegin(bytes32,int256)"), waiting(&state).len()), (1, 0));
}

#[test]
fn a_pegin_below_the_minimum_is_neither_kept_nor_sent_back_nor_marked() {
    let mut state = funded();
    let pegin = transaction(&[to_federation(2_000_000), to_federation(499_999)]);
    for times in 1..3 {
        register(&mut state, &pegin).expect("it runs");
        assert_eq!(events(&state, "unrefundable_pegin(bytes32,int256)"), times);
    }
    assert_eq!((kept(&state), waiting(&state).len()), (Vec::new(), 0));
}

/// Version and hash of an address on regtest.
fn address(mark: u8) -> Bytes {
    [&[111][..], &[mark; 20]].concat().into()
}

fn deposit_script(arguments_hash: B256) -> Vec<u8> {
    let derived = [arguments_hash.as_slice(), &address(1), CONTRACT.as_slice(), &address(2)].concat();
    federation().flyover_output_script(keccak256(&derived)).expect("a script")
}

fn fly_over(state: &mut MemoryState, transaction: &Transaction, refund: Bytes, hash: B256, to_provider: bool) -> U256 {
    let raw = transaction.serialize();
    let proof = mine(state, &raw);
    let arguments = [
        AbiValue::Bytes(raw.into()),
        AbiValue::int(i64::from(HEIGHT)),
        AbiValue::Bytes(proof.into()),
        AbiValue::Bytes32(hash),
        AbiValue::Bytes(refund),
        AbiValue::Address(CONTRACT),
        AbiValue::Bytes(address(2)),
        AbiValue::Bool(to_provider),
    ];
    let signature = "registerFastBridgeBtcTransaction(bytes,uint256,bytes,bytes32,bytes,address,bytes,bool)";
    U256::from_be_slice(&run(state, signature, &arguments).expect("it answers").expect("a number"))
}

fn code(code: u64) -> U256 {
    U256::from(code).wrapping_neg()
}

#[test]
fn a_fly_over_deposit_is_paid_to_the_contract_once() {
    let hash = B256::repeat_byte(3);
    let deposit = transaction(&[(2_000_000, deposit_script(hash)), to_federation(9_000_000)]);
    let mut state = funded();
    let wei = U256::from(2_000_000) * U256::from(WEI);
    assert_eq!(fly_over(&mut state, &deposit, address(1), hash, false), wei);
    assert_eq!(state.balance_of(CONTRACT), wei);
    assert_eq!(kept(&state).iter().map(|utxo| utxo.index).collect::<Vec<_>>(), [0]);
    assert_eq!(fly_over(&mut state, &deposit, address(1), hash, false), code(302));
    assert_eq!(fly_over(&mut state, &deposit, address(7), hash, false), code(304));
    let below = transaction(&[(499_999, deposit_script(hash))]);
    assert_eq!(fly_over(&mut state, &below, address(1), hash, false), code(305));
}

#[test]
fn a_fly_over_deposit_above_the_cap_goes_back_in_the_name_of_the_outer_transaction() {
    for (to_provider, answer) in [(false, 100), (true, 200)] {
        let hash = B256::repeat_byte(4);
        let deposit = transaction(&[(100_100_000_000, deposit_script(hash))]);
        let mut state = funded();
        assert_eq!(fly_over(&mut state, &deposit, address(1), hash, to_provider), code(answer));
        let refunds = waiting(&state);
        assert_eq!(refunds.len(), 1);
        assert_eq!(refunds[0].transaction_hash, Some(B256::repeat_byte(0x22)));
        let receiver = if to_provider { [2; 20] } else { [1; 20] };
        assert_eq!(refunds[0].transaction.outputs[0].script[3..23], receiver);
    }
}

#[test]
fn whatever_throws_in_a_fly_over_is_an_answer_and_what_changed_until_then_is_saved() {
    let hash = B256::repeat_byte(5);
    let deposit = transaction(&[(2_000_000, deposit_script(hash))]);
    let mut state = funded();
    assert_eq!(fly_over(&mut state, &deposit, Bytes::from(vec![111; 22]), hash, false), code(900));
    // The refund throws at the output that does not parse; the deposit was marked as used before.
    let rejected = transaction(&[(1, vec![5, 1]), (100_100_000_000, deposit_script(hash))]);
    assert_eq!(fly_over(&mut state, &rejected, address(1), hash, false), code(900));
    assert_eq!(fly_over(&mut state, &rejected, address(1), hash, false), code(302));
}
