//! Compares ordinary transactions, scripts, signatures, trees and headers of the recorded vectors with the `bitcoin`
//! crate: the results must be equal for everything that it accepts.

use bitcoin::consensus::{deserialize, serialize};
use bitcoin::hashes::Hash;
use bitcoin::merkle_tree::PartialMerkleTree as OtherTree;
use bitcoin::secp256k1::ecdsa::Signature as OtherSignature;
use bitcoin::sighash::{EcdsaSighashType, SighashCache};
use bitcoin::{Amount, TxMerkleNode, Txid};
use rhizome_bitcoin::compact::Target;
use rhizome_bitcoin::partial_merkle_tree::PartialMerkleTree;
use rhizome_bitcoin::signature::{SIGHASH_ALL, is_canonical};
use rhizome_bitcoin::{BlockHeader, Script, Signature, Transaction, reversed, sighash};
use rhizome_primitives::{B256, hex};
use serde_json::Value;

fn bytes(value: &Value) -> Vec<u8> {
    hex::decode(value.as_str().expect("bytes")).expect("bytes")
}

/// The recorded lines of some kinds: `in` and `out`.
fn lines(kinds: &[&str]) -> Vec<(Value, Value)> {
    let lines = rhizome_vectors::json_lines("bridge/bridge-primitives.jsonl");
    let wanted = lines.filter(|line| line["kind"].as_str().is_some_and(|kind| kinds.contains(&kind)));
    wanted.map(|line| (line["in"].clone(), line["out"].clone())).collect()
}

/// A hash of the other implementation, in display order.
fn shown(hash: [u8; 32]) -> B256 {
    reversed(B256::from(hash))
}

#[test]
fn transactions() {
    let mut compared = 0;
    for (given, _) in lines(&["btcTx", "lockSender", "peginInstructions", "witnessCommitment"]) {
        let raw = bytes(&given["raw"]);
        let Ok(other) = deserialize::<bitcoin::Transaction>(&raw) else { continue };
        let ours = Transaction::parse(&raw).expect("what the other implementation takes");
        compared += 1;
        assert_eq!(ours.txid(), shown(other.compute_txid().to_byte_array()));
        assert_eq!(ours.wtxid(), shown(other.compute_wtxid().to_byte_array()));
        assert_eq!(ours.serialize(), serialize(&other));
        assert_eq!((ours.version, ours.lock_time), (other.version.0 as u32, other.lock_time.to_consensus_u32()));
        assert_eq!(ours.is_coinbase(), other.is_coinbase());
        assert_eq!((ours.inputs.len(), ours.outputs.len()), (other.input.len(), other.output.len()));
        for (ours, other) in ours.inputs.iter().zip(&other.input) {
            assert_eq!(ours.previous.txid, shown(other.previous_output.txid.to_byte_array()));
            assert_eq!((ours.previous.index, ours.sequence), (other.previous_output.vout, other.sequence.0));
            assert_eq!((&ours.script[..], &ours.witness), (other.script_sig.as_bytes(), &other.witness.to_vec()));
        }
        for (ours, other) in ours.outputs.iter().zip(&other.output) {
            assert_eq!(ours.value.cast_unsigned(), other.value.to_sat());
            assert_eq!(ours.script, other.script_pubkey.as_bytes());
        }
    }
    assert!(compared > 60, "only {compared} are ordinary");
}

#[test]
fn scripts() {
    let mut compared = 0;
    for (given, _) in lines(&["script"]) {
        let program = bytes(&given["program"]);
        let other = bitcoin::Script::from_bytes(&program);
        let Ok(ours) = Script::parse(&program) else {
            assert!(other.instructions().any(|instruction| instruction.is_err()));
            continue;
        };
        compared += 1;
        assert_eq!(ours.pays_to_script_hash(), other.is_p2sh());
        if other.is_p2pkh() {
            assert_eq!(ours.pays_to_public_key_hash(), Ok(true));
        }
        assert_eq!(ours.is_op_return(), other.is_op_return());
        let pushes: Vec<_> = ours.chunks().iter().filter_map(|chunk| chunk.data).collect();
        let others = other.instructions().filter_map(|instruction| {
            let instruction = instruction.expect("what parses here");
            let empty = instruction.push_bytes().is_some_and(|push| push.is_empty());
            // The other implementation treats zero as a push; ours distinguishes the opcode from an empty push.
            instruction.push_bytes().filter(|_| !empty).map(|push| push.as_bytes().to_vec())
        });
        assert_eq!(pushes.into_iter().filter(|push| !push.is_empty()).collect::<Vec<_>>(), others.collect::<Vec<_>>());
    }
    assert!(compared > 40, "only {compared} parse");
}

#[test]
fn signatures() {
    let mut compared = 0;
    let decoded = lines(&["der"]).into_iter().map(|(given, _)| given["bytes"].clone());
    let signed = lines(&["sighash"]).into_iter().flat_map(|(_, out)| {
        let inputs = out["inputs"].as_array().cloned().unwrap_or_default().into_iter();
        inputs.flat_map(|input| input["derSignatures"].as_array().cloned().unwrap_or_default()).collect::<Vec<_>>()
    });
    for der in decoded.chain(signed) {
        let der = bytes(&der);
        if !is_canonical(&[&der[..], &[SIGHASH_ALL]].concat()) {
            continue;
        }
        let other = OtherSignature::from_der(&der).expect("what is strict");
        // The other implementation reads a number beyond the group's order as zero.
        if other.serialize_compact().chunks(32).any(|number| number == [0; 32]) {
            continue;
        }
        compared += 1;
        let ours = Signature::parse(&der).expect("what the other implementation takes");
        assert_eq!(ours.to_der(), other.serialize_der().to_vec());
        let mut low = other;
        low.normalize_s();
        assert_eq!(ours.is_low_s(), low == other);
    }
    assert!(compared > 50, "only {compared} are strict");
}

#[test]
fn partial_trees() {
    let mut compared = 0;
    for (_, out) in lines(&["pmtBuild"]) {
        let raw = bytes(&out["raw"]);
        let Ok(other) = deserialize::<OtherTree>(&raw) else { continue };
        let (mut matched, mut indexes) = (Vec::<Txid>::new(), Vec::new());
        let Ok(root) = other.extract_matches(&mut matched, &mut indexes) else { continue };
        compared += 1;
        let tree = PartialMerkleTree::parse(&raw).expect("what the other implementation takes");
        let ours = tree.extract().expect("what the other implementation takes");
        assert_eq!(tree.transactions(), other.num_transactions());
        assert_eq!(TxMerkleNode::from_byte_array(ours.root.0), root);
        let matched: Vec<_> = matched.into_iter().map(|id| B256::from(id.to_byte_array())).collect();
        assert_eq!(ours.matched, matched);
    }
    assert!(compared > 20, "only {compared} are taken");
}

#[test]
fn headers() {
    let mut compared = 0;
    for (given, _) in lines(&["header"]) {
        let raw = bytes(&given["raw"]);
        let Ok(other) = deserialize::<bitcoin::block::Header>(&raw) else { continue };
        compared += 1;
        let ours = BlockHeader::parse(&raw).expect("what the other implementation takes");
        assert_eq!(ours.hash(), shown(other.block_hash().to_byte_array()));
        assert_eq!(ours.parent(), shown(other.prev_blockhash.to_byte_array()));
        assert_eq!(ours.merkle_root(), shown(other.merkle_root.to_byte_array()));
        assert_eq!((ours.time(), ours.bits(), ours.nonce()), (other.time, other.bits.to_consensus(), other.nonce));
        // The other implementation has no targets beyond 256 bits or below zero.
        let target = Target::from_compact(ours.bits());
        if !target.is_negative() && target.magnitude().len() <= 32 && (3..=32).contains(&(ours.bits() >> 24)) {
            let mut wide = [0; 32];
            wide[32 - target.magnitude().len()..].copy_from_slice(target.magnitude());
            assert_eq!(wide, other.target().to_be_bytes());
        }
    }
    assert!(compared > 10, "only {compared} are taken");
}

#[test]
fn hashes_that_are_signed() {
    let mut compared = 0;
    for (given, _) in lines(&["sighash"]) {
        let (raw, redeem) = (bytes(&given["unsignedTx"]), bytes(&given["redeemScript"]));
        let Ok(other) = deserialize::<bitcoin::Transaction>(&raw) else { continue };
        let ours = Transaction::parse(&raw).expect("a transaction");
        let script = bitcoin::Script::from_bytes(&redeem);
        let mut cache = SighashCache::new(&other);
        for index in 0..ours.inputs.len() {
            let value = given["inputValues"][index].as_i64().expect("a value");
            let amount = Amount::from_sat(value.cast_unsigned());
            let segwit = cache.p2wsh_signature_hash(index, script, amount, EcdsaSighashType::All).expect("a hash");
            let found = sighash::segwit(&ours, index, &redeem, value, SIGHASH_ALL).expect("a hash");
            assert_eq!(found, B256::from(segwit.to_byte_array()));
            // The reference keeps witnesses in the legacy preimage (bridge.md §3.4).
            if !ours.has_witness() {
                let legacy = cache.legacy_signature_hash(index, script, u32::from(SIGHASH_ALL)).expect("a hash");
                let found = sighash::legacy(&ours, index, &redeem, SIGHASH_ALL).expect("a hash");
                assert_eq!(found, B256::from(legacy.to_byte_array()));
            }
            compared += 1;
        }
    }
    assert!(compared > 10, "only {compared} are compared");
}
