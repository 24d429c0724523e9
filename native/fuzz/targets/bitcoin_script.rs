//! Bitcoin scripts: elements, patterns, redeem scripts; and inputs whose redeem script is the bytes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rhizome_bitcoin::script::builder::pay_to_script_hash;
use rhizome_bitcoin::script::{signature_operations, write_chunks};
use rhizome_bitcoin::transaction::OutPoint;
use rhizome_bitcoin::{Input, Script, ScriptBuilder, Transaction, correctly_spends, sighash};
use rhizome_crypto::hash160;
use rhizome_primitives::B256;

fuzz_target!(|input: &[u8]| {
    let _ = signature_operations(input);
    let mut transaction = Transaction::new(2);
    transaction.inputs.push(Input::new(OutPoint { txid: B256::ZERO, index: 0 }));
    let _ = sighash::legacy(&transaction, 0, input, input.first().copied().unwrap_or(1));
    let _ = sighash::segwit(&transaction, 0, input, -1, input.first().copied().unwrap_or(1));
    let Ok(script) = Script::parse(input) else { return };
    if let Ok(written) = write_chunks(script.chunks()) {
        assert_eq!(written, input);
    }
    let _ = script.pays_to_public_key_hash();
    let _ = script.signatures_required();
    if let Ok(redeem) = script.redeem_script() {
        let _ = redeem.public_keys();
        if let Ok(standard) = redeem.standard_script() {
            let read = Script::parse(&standard).and_then(|script| script.redeem_script().map(|read| read.threshold()));
            assert_eq!(read, Ok(redeem.threshold()));
        }
    }
    let mut pushes = ScriptBuilder::default();
    pushes.number(0).number(0).data(&input[..input.len().min(600)]);
    transaction.inputs[0].script = pushes.finish();
    let _ = correctly_spends(&transaction, 0, &pay_to_script_hash(&hash160(input)));
    transaction.inputs[0].script = input.to_vec();
    let _ = correctly_spends(&transaction, 0, &pay_to_script_hash(&[0; 20]));
});
