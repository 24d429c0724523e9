//! Redeem scripts of the federation formats (bridge.md §3.4).

use rhizome_crypto::sha256;
use rhizome_primitives::bridge_spec::{BitcoinNetwork, BridgeSpec, FederationFormat};
use rhizome_primitives::rules::{Rule, RuleSet};

use super::FederationMember;
use crate::bitcoin::address::{Address, script_address};
use crate::bitcoin::script::{self, ScriptBuilder};

/// Signatures needed of `members`.
pub(crate) fn threshold(members: usize) -> usize {
    members / 2 + 1
}

/// The redeem script of a federation; its emergency branch depends on the rules for format 2000.
pub(crate) fn redeem_script(
    spec: &BridgeSpec,
    rules: RuleSet,
    format: FederationFormat,
    members: &[FederationMember],
) -> Vec<u8> {
    let keys: Vec<_> = members.iter().map(|member| member.btc_key).collect();
    let constants = &spec.federation;
    let mut emergency_keys: Vec<_> = constants.erp_keys.iter().map(|key| key.0).collect();
    emergency_keys.sort();
    let plain = multisig(&keys);
    let emergency = multisig(&emergency_keys);
    match format {
        FederationFormat::Standard => plain,
        FederationFormat::NonStandardErp => match &constants.hardcoded_erp_script {
            Some(script) if spec.bitcoin.network == BitcoinNetwork::Testnet && !rules.active(Rule::Rskip284) => {
                script.to_vec()
            }
            _ => {
                let delay = if rules.active(Rule::Rskip293) {
                    script::signed_le(constants.erp_delay)
                } else {
                    (constants.erp_delay as u16).to_be_bytes().to_vec()
                };
                let mut script = erp(&plain[..plain.len() - 1], &delay, &emergency[..emergency.len() - 1]);
                script.push(script::OP_CHECKMULTISIG);
                script
            }
        },
        FederationFormat::P2shErp | FederationFormat::P2shP2wshErp => {
            erp(&plain, &script::signed_le(constants.erp_delay), &emergency)
        }
    }
}

/// M-of-n over keys in their order.
fn multisig(keys: &[[u8; 33]]) -> Vec<u8> {
    let mut builder = ScriptBuilder::default();
    builder.number(threshold(keys.len()));
    for key in keys {
        builder.data(key);
    }
    builder.number(keys.len()).op(script::OP_CHECKMULTISIG);
    builder.finish()
}

fn erp(plain: &[u8], delay: &[u8], emergency: &[u8]) -> Vec<u8> {
    let mut builder = ScriptBuilder::default();
    builder.op(script::OP_NOTIF).raw(plain).op(script::OP_ELSE).data(delay);
    builder.op(script::OP_CHECKSEQUENCEVERIFY).op(script::OP_DROP).raw(emergency).op(script::OP_ENDIF);
    builder.finish()
}

/// Address of the federation's outputs.
pub(crate) fn address(spec: &BridgeSpec, format: FederationFormat, redeem_script: &[u8]) -> Address {
    match format {
        FederationFormat::P2shP2wshErp => {
            let mut program = vec![0, 32];
            program.extend_from_slice(sha256(redeem_script).as_slice());
            script_address(&spec.bitcoin, &program)
        }
        _ => script_address(&spec.bitcoin, redeem_script),
    }
}
