//! Bitcoin transactions: parsing, both serialisations, the rules of their structure, signatures put into
//! their inputs.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rhizome_bitcoin::multisig_input::{
    has_enough_signatures, insert_signature, pegout_index_hash, signature_hash, without_signatures,
};
use rhizome_bitcoin::stated_inputs::states_inputs;
use rhizome_bitcoin::witness_commitment::witness_commitment;
use rhizome_bitcoin::{Transaction, correctly_spends};

fuzz_target!(|input: &[u8]| {
    let _ = states_inputs(input, true);
    let Ok((transaction, read)) = Transaction::read(input) else { return };
    assert!(read <= input.len());
    let _ = transaction.verify(read);
    let _ = witness_commitment(&transaction, true);
    let _ = pegout_index_hash(&transaction);
    let _ = has_enough_signatures(&transaction);
    if transaction.inputs.is_empty() {
        // Written without inputs, outputs are taken for witnesses.
        return;
    }
    let written = transaction.serialize();
    assert!(written.len() <= read);
    assert_eq!(Transaction::read(&written), Ok((transaction.clone(), written.len())));
    assert_eq!(
        Transaction::parse(&transaction.serialize_without_witness()).map(|read| read.txid()),
        Ok(transaction.txid())
    );
    if let Ok(unsigned) = without_signatures(&transaction) {
        assert_eq!(without_signatures(&unsigned), Ok(unsigned.clone()));
    }
    for index in 0..transaction.inputs.len().min(4) {
        let _ = signature_hash(&transaction, index, Some(1));
        let mut signed = transaction.inputs[index].clone();
        let _ = insert_signature(&mut signed, &[1; 71], 0);
        let mut output = vec![0xa9, 20];
        output.extend_from_slice(&input[..20.min(input.len())]);
        output.push(0x87);
        let _ = correctly_spends(&transaction, index, &output);
    }
});
