//! The sender of a peg-in, derived from its first input (bridge.md §3.4).

use rhizome_bitcoin::address::{Address as BitcoinAddress, script_address};
use rhizome_bitcoin::script::builder::witness_program;
use rhizome_bitcoin::{PublicKey, Script, ScriptError, Transaction};
use rhizome_primitives::Address;
use rhizome_primitives::bridge_spec::BitcoinSpec;

/// The kind of output that the first input spends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SenderKind {
    /// An output to the hash of a public key.
    PublicKeyHash,
    /// An output to the hash of a witness program of a public key.
    ScriptOfWitnessKeyHash,
    /// An output to the hash of a multi-signature script.
    MultisigScript,
    /// An output to the hash of a witness program of a multi-signature script.
    WitnessMultisigScript,
}

/// The sender of a peg-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sender {
    /// Kind of the spent output.
    pub kind: SenderKind,
    /// Address of the spent output.
    pub address: BitcoinAddress,
    /// Rootstock address of the key that spent it; None for several keys.
    pub rsk_address: Option<Address>,
}

/// The sender of a transaction; None for an unknown kind.
///
/// # Errors
/// [`ScriptError`] where the reference throws, which ends the whole call: a script that does not parse, an opcode
/// instead of a redeem script, a witness of two pushes without a key.
pub fn sender(bitcoin: &BitcoinSpec, transaction: &Transaction) -> Result<Option<Sender>, ScriptError> {
    let Some(input) = transaction.inputs.first() else { return Ok(None) };
    let script = Script::parse(&input.script)?;
    let chunks = script.chunks();
    if let [_, key] = chunks
        && let Some(sender) = key.data.and_then(|data| key_hash_sender(bitcoin, data))
    {
        return Ok(Some(sender));
    }
    match (chunks, &input.witness[..]) {
        ([_], [_, key]) => witness_key_sender(bitcoin, key),
        ([_], [_, _, .., redeem]) => {
            let hashed = witness_program(redeem);
            multisig_sender(bitcoin, SenderKind::WitnessMultisigScript, redeem, &hashed)
        }
        ([_, _, .., redeem], _) => {
            let redeem = redeem.data.ok_or(ScriptError::Other("an opcode stands in place of a redeem script"))?;
            multisig_sender(bitcoin, SenderKind::MultisigScript, redeem, redeem)
        }
        _ => Ok(None),
    }
}

fn key_hash_sender(bitcoin: &BitcoinSpec, data: &[u8]) -> Option<Sender> {
    let key = PublicKey::parse(data).ok()?;
    let rsk_address = Some(key.rsk_address());
    Some(Sender { kind: SenderKind::PublicKeyHash, address: key.address(bitcoin), rsk_address })
}

fn witness_key_sender(bitcoin: &BitcoinSpec, data: &[u8]) -> Result<Option<Sender>, ScriptError> {
    let key = PublicKey::parse(data)?;
    if !key.is_compressed() {
        return Ok(None);
    }
    let program = [&[0, 20][..], &key.hash()].concat();
    let address = script_address(bitcoin, &program);
    let rsk_address = Some(key.rsk_address());
    Ok(Some(Sender { kind: SenderKind::ScriptOfWitnessKeyHash, address, rsk_address }))
}

fn multisig_sender(
    bitcoin: &BitcoinSpec,
    kind: SenderKind,
    redeem: &[u8],
    hashed: &[u8],
) -> Result<Option<Sender>, ScriptError> {
    let known = Script::parse(redeem)?.is_multisig()?;
    Ok(known.then(|| Sender { kind, address: script_address(bitcoin, hashed), rsk_address: None }))
}
