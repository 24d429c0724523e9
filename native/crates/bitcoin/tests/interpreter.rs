//! The script interpreter on inputs of a two-of-three federation, with and without an emergency branch.

use rhizome_bitcoin::multisig_input::{insert_signature, insertion_index, set_skeleton, signature_hash};
use rhizome_bitcoin::script::builder::{multisig, pay_to_script_hash};
use rhizome_bitcoin::signature::{SIGHASH_ALL, Signature};
use rhizome_bitcoin::{Input, OutPoint, Output, PublicKey, ScriptBuilder, Transaction, correctly_spends};
use rhizome_crypto::hash160;
use rhizome_primitives::{B256, U256};

fn keys() -> Vec<(B256, PublicKey)> {
    let mut keys: Vec<_> = (1..=3_u8)
        .map(|number| {
            let secret = B256::with_last_byte(number);
            let point = rhizome_crypto::public_key(&secret).expect("a key");
            let mut bytes = vec![2 | point[63] & 1];
            bytes.extend_from_slice(&point[..32]);
            (secret, PublicKey::parse(&bytes).expect("a key"))
        })
        .collect();
    keys.sort_by(|a, b| a.1.cmp(&b.1));
    keys
}

fn script(threshold: usize) -> Vec<u8> {
    let keys: Vec<_> = keys().into_iter().map(|(_, key)| key.as_bytes().to_vec()).collect();
    multisig(threshold, &keys).expect("a script")
}

/// The emergency branch requires one signature after 500 blocks.
fn erp() -> Vec<u8> {
    let mut builder = ScriptBuilder::default();
    builder.op(0x64).raw(&script(2)).op(0x67).data(&[0xf4, 1]).op(0xb2).op(0x75).raw(&script(1)).op(0x68);
    builder.finish()
}

fn unsigned(redeem: &[u8]) -> Transaction {
    let mut transaction = Transaction::new(2);
    let mut input = Input::new(OutPoint { txid: B256::repeat_byte(7), index: 1 });
    set_skeleton(&mut input, redeem, false).expect("a skeleton");
    transaction.inputs.push(input);
    transaction.outputs.push(Output { value: 5, script: vec![0x51] });
    transaction
}

fn signature(transaction: &Transaction, secret: &B256) -> Vec<u8> {
    let hash = signature_hash(transaction, 0, None).expect("a hash");
    let signed = rhizome_crypto::sign(&hash, secret).expect("a signature");
    Signature::new(signed.r.as_slice(), signed.s.as_slice()).to_input(SIGHASH_ALL)
}

fn sign(transaction: &mut Transaction, signers: &[usize]) {
    let keys = keys();
    for signer in signers {
        let (secret, key) = &keys[*signer];
        let hash = signature_hash(transaction, 0, None).expect("a hash");
        let position = insertion_index(transaction, 0, key, &hash).expect("a position");
        let signature = signature(transaction, secret);
        insert_signature(&mut transaction.inputs[0], &signature, position).expect("a slot");
    }
}

fn spends(transaction: &Transaction, redeem: &[u8]) -> bool {
    correctly_spends(transaction, 0, &pay_to_script_hash(&hash160(redeem))).is_ok()
}

#[test]
fn enough_signatures_spend_in_whatever_order_they_came() {
    for redeem in [script(2), erp()] {
        for signers in [[0, 1], [1, 0], [2, 0], [2, 1]] {
            let mut transaction = unsigned(&redeem);
            assert!(!spends(&transaction, &redeem));
            sign(&mut transaction, &signers[..1]);
            assert!(!spends(&transaction, &redeem), "one signature");
            sign(&mut transaction, &signers[1..]);
            assert!(spends(&transaction, &redeem), "{signers:?}");
            transaction.outputs[0].value += 1;
            assert!(!spends(&transaction, &redeem), "another transaction");
        }
    }
}

#[test]
fn a_script_that_does_more_than_push_does_not_spend() {
    let redeem = script(2);
    let mut transaction = unsigned(&redeem);
    sign(&mut transaction, &[0, 1]);
    let script = transaction.inputs[0].script.clone();
    transaction.inputs[0].script = [&[0x61][..], &script].concat();
    assert!(!spends(&transaction, &redeem), "NOP");
    transaction.inputs[0].script = [&[0x51][..], &script[1..]].concat();
    assert!(!spends(&transaction, &redeem), "the spare element is not empty");
    transaction.inputs[0].script = script;
    assert!(spends(&transaction, &redeem));
    assert!(!spends(&transaction, &erp()), "another script's hash");
}

#[test]
fn high_and_loosely_encoded_signatures() {
    let redeem = script(2);
    let mut transaction = unsigned(&redeem);
    sign(&mut transaction, &[0]);
    let hash = signature_hash(&transaction, 0, None).expect("a hash");
    let signed = rhizome_crypto::sign(&hash, &keys()[1].0).expect("a signature");
    let order = U256::from_be_bytes(rhizome_crypto::signature::ORDER.0);
    let high = (order - U256::from_be_bytes(signed.s.0)).to_be_bytes::<32>();
    let mut with_high = transaction.clone();
    let encoded = Signature::new(signed.r.as_slice(), &high).to_input(SIGHASH_ALL);
    insert_signature(&mut with_high.inputs[0], &encoded, 1).expect("a slot");
    assert!(spends(&with_high, &redeem), "s may be high");
    let mut loose = Signature::new(signed.r.as_slice(), signed.s.as_slice()).to_der();
    loose.extend_from_slice(&[0, SIGHASH_ALL]);
    insert_signature(&mut transaction.inputs[0], &loose, 1).expect("a slot");
    assert!(!spends(&transaction, &redeem), "a byte too many");
}

/// Uses the emergency branch: one signature, and a true value instead of the last empty push.
fn emergency(sequence: u32, version: u32) -> Transaction {
    let redeem = erp();
    let mut transaction = unsigned(&redeem);
    transaction.version = version;
    transaction.inputs[0].sequence = sequence;
    let signature = signature(&transaction, &keys()[0].0);
    let mut builder = ScriptBuilder::default();
    builder.number(0).data(&signature).number(1).data(&redeem);
    transaction.inputs[0].script = builder.finish();
    transaction
}

#[test]
fn the_emergency_branch_asks_for_an_age() {
    let redeem = erp();
    assert!(spends(&emergency(500, 2), &redeem));
    assert!(spends(&emergency(0xffff, 2), &redeem));
    assert!(spends(&emergency(0x7f9f_ffff, 2), &redeem), "bits without meaning are left out");
    assert!(!spends(&emergency(499, 2), &redeem));
    assert!(!spends(&emergency(500, 1), &redeem), "transactions of version 1 keep to no ages");
    assert!(!spends(&emergency(u32::MAX, 2), &redeem));
    assert!(!spends(&emergency(1 << 22 | 500, 2), &redeem), "a time is no number of blocks");
}

#[test]
fn an_input_with_a_witness_need_only_push_its_program() {
    let redeem = script(2);
    let mut transaction = unsigned(&redeem);
    set_skeleton(&mut transaction.inputs[0], &redeem, true).expect("a skeleton");
    let program = rhizome_bitcoin::script::builder::witness_program(&redeem);
    assert!(spends(&transaction, &program));
    assert!(!spends(&transaction, &redeem));
}
