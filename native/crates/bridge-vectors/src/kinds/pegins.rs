//! `lockSender`, `peginInstructions`.

use rhizome_bitcoin::Transaction;
use rhizome_bridge::recorded::{SenderKind, VERSION, instructions, sender};
use serde_json::{Value, json};

use super::network;
use crate::hex::{bytes, shown};
use crate::outcome::{Outcome, Throw};

pub(super) fn lock_sender(given: &Value) -> Outcome {
    let transaction = Transaction::parse(&bytes(&given["raw"])).map_err(Throw::from)?;
    let found = sender(&network::bitcoin(&given["network"]), &transaction).map_err(Throw::from)?;
    let Some(sender) = found else { return Ok(json!({"type": null})) };
    let name = match sender.kind {
        SenderKind::PublicKeyHash => "P2PKH",
        SenderKind::ScriptOfWitnessKeyHash => "P2SHP2WPKH",
        SenderKind::MultisigScript => "P2SHMULTISIG",
        SenderKind::WitnessMultisigScript => "P2SHP2WSH",
    };
    Ok(json!({
        "type": name,
        "btcAddress": sender.address.to_base58(),
        "rskAddress": sender.rsk_address.map(shown),
    }))
}

pub(super) fn pegin_instructions(given: &Value) -> Outcome {
    let transaction = Transaction::parse(&bytes(&given["raw"])).map_err(Throw::from)?;
    let found = instructions(&network::bitcoin(&given["network"]), &transaction).map_err(Throw::from)?;
    let Some(instructions) = found else { return Ok(json!({"present": false})) };
    Ok(json!({
        "present": true,
        "version": VERSION,
        "rskDestination": shown(instructions.destination),
        "btcRefund": instructions.refund.map(|address| address.to_base58()),
    }))
}
