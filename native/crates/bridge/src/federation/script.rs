//! Redeem scripts of the federation formats (bridge.md §3.4).

use rhizome_bitcoin::ScriptError;
use rhizome_bitcoin::script::builder::{ScriptBuilder, multisig, signed_le, witness_program};
use rhizome_bitcoin::script::opcode::{OP_CHECKMULTISIG, OP_CHECKSEQUENCEVERIFY, OP_DROP, OP_ELSE, OP_ENDIF, OP_NOTIF};
use rhizome_crypto::hash160;
use rhizome_primitives::B256;
use rhizome_primitives::bridge_spec::{BitcoinNetwork, BridgeSpec, FederationFormat};
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::{Rule, RuleSet};

use super::{FederationMember, MemberKey};

/// Number of bytes by which a fly-over redeem script exceeds the script that it is derived from.
const FLYOVER_BYTES: usize = 34;
/// Longest element that a script may push.
const MAX_ELEMENT: usize = 520;
/// Longest standard witness script.
const MAX_WITNESS_SCRIPT: usize = 3600;

fn failed<T>(reason: &str) -> Result<T, ContractError> {
    Err(ContractError::Failed(reason.into()))
}

/// Number of signatures required of `members`.
pub(crate) fn threshold(members: usize) -> usize {
    members / 2 + 1
}

/// Redeem script of a federation, and the part of it that its members sign for, which is all of it if there is no
/// emergency branch. None if the reference cannot extract that part from the hard-coded script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scripts {
    pub(crate) redeem: Vec<u8>,
    pub(crate) members: Option<Vec<u8>>,
}

/// The scripts of a federation; the emergency branch depends on the rules for format 2000. A script that is too long
/// for its format, or for a fly-over script around it, is an error.
pub(crate) fn scripts(
    spec: &BridgeSpec,
    rules: RuleSet,
    format: FederationFormat,
    members: &[FederationMember],
) -> Result<Scripts, ContractError> {
    let constants = &spec.federation;
    if format == FederationFormat::NonStandardErp
        && spec.bitcoin.network == BitcoinNetwork::Testnet
        && !rules.active(Rule::Rskip284)
        && let Some(script) = &constants.hardcoded_erp_script
    {
        return Ok(Scripts { redeem: script.to_vec(), members: None });
    }
    let keys: Vec<_> = members.iter().map(|member| member.btc_key).collect();
    let plain = majority(&keys)?;
    if format == FederationFormat::Standard {
        return Ok(Scripts { redeem: plain.clone(), members: Some(plain) });
    }
    let mut emergency_keys: Vec<_> = constants.erp_keys.iter().map(|key| MemberKey::Point(key.0)).collect();
    emergency_keys.sort();
    let emergency = majority(&emergency_keys)?;
    let redeem = match format {
        FederationFormat::NonStandardErp => {
            let delay = if rules.active(Rule::Rskip293) {
                signed_le(constants.erp_delay)
            } else {
                (constants.erp_delay as u16).to_be_bytes().to_vec()
            };
            let unchecked = |script: &[u8]| script[..script.len().saturating_sub(1)].to_vec();
            let mut script = erp(&unchecked(&plain), &delay, &unchecked(&emergency));
            script.push(OP_CHECKMULTISIG);
            script
        }
        _ => erp(&plain, &signed_le(constants.erp_delay), &emergency),
    };
    let most = if format == FederationFormat::P2shP2wshErp { MAX_WITNESS_SCRIPT } else { MAX_ELEMENT } - FLYOVER_BYTES;
    if redeem.len() > most {
        return failed("the redeem script of the federation is too long");
    }
    Ok(Scripts { redeem, members: Some(plain) })
}

/// A multi-signature script of the keys, in their order, with the threshold that the reference uses.
fn majority(keys: &[MemberKey]) -> Result<Vec<u8>, ContractError> {
    multisig(threshold(keys.len()), keys).map_err(|error: ScriptError| ContractError::Failed(error.to_string()))
}

fn erp(plain: &[u8], delay: &[u8], emergency: &[u8]) -> Vec<u8> {
    let mut builder = ScriptBuilder::default();
    builder.op(OP_NOTIF).raw(plain).op(OP_ELSE).data(delay);
    builder.op(OP_CHECKSEQUENCEVERIFY).op(OP_DROP).raw(emergency).op(OP_ENDIF);
    builder.finish()
}

/// The redeem script of a fly-over deposit.
///
/// # Errors
/// [`ContractError::Failed`] for a hash of zeros.
pub fn flyover(derivation_hash: B256, redeem_script: &[u8]) -> Result<Vec<u8>, ContractError> {
    if derivation_hash.is_zero() {
        return failed("a fly-over derivation hash of zero");
    }
    let mut builder = ScriptBuilder::default();
    builder.data(derivation_hash.as_slice()).op(OP_DROP).raw(redeem_script);
    Ok(builder.finish())
}

/// Hash of a redeem script for its output script.
pub(crate) fn script_hash(format: FederationFormat, redeem_script: &[u8]) -> [u8; 20] {
    match format {
        FederationFormat::P2shP2wshErp => hash160(&witness_program(redeem_script)),
        _ => hash160(redeem_script),
    }
}
