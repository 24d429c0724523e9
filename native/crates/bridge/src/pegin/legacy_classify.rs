//! Classifies registered transactions by the scripts of their inputs, as before the index of peg-outs (bridge.md §4.2).

use rhizome_bitcoin::multisig_input::redeem_script;
use rhizome_bitcoin::script::builder::{pay_to_script_hash, witness_program};
use rhizome_bitcoin::script::write_chunks;
use rhizome_bitcoin::{Script, ScriptError, Transaction, address, correctly_spends};
use rhizome_crypto::hash160;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;

use super::kind::{Kind, caught};
use super::minimum::minimum;
use super::outputs::{outputs_to, value};
use crate::federation::Federation;
use crate::federation::live::LiveFederations;
use crate::outcome::thrown;
use crate::storage::Frame;

pub(super) fn kind(
    frame: &Frame<'_>,
    federations: &LiveFederations,
    transaction: &Transaction,
) -> Result<Kind, ContractError> {
    let retired = federations.last_retired_script.as_deref();
    if frame.active(Rule::Rskip199) && spends(transaction, &old_federation_script(frame)?)? {
        return Ok(Kind::PegOutOrMigration);
    }
    let live: Vec<&Federation> = federations.iter().collect();
    if is_valid_pegin(frame, transaction, &live, retired)? {
        return Ok(Kind::PegIn);
    }
    if is_migration(frame, federations, transaction)? {
        return Ok(Kind::PegOutOrMigration);
    }
    let scripts = live.iter().map(|federation| federation.members_output_script());
    let scripts = scripts.collect::<Result<Vec<_>, _>>()?;
    Ok(if is_pegout(frame, transaction, &scripts)? { Kind::PegOutOrMigration } else { Kind::Unknown })
}

/// Output script of the federation that preceded the first one.
fn old_federation_script(frame: &Frame<'_>) -> Result<Vec<u8>, ContractError> {
    let spec = frame.bridge();
    let parsed = address::parse(&spec.bitcoin, &spec.federation.old_address);
    let hash = parsed.ok().and_then(|(_, hash)| hash.try_into().ok());
    let hash = hash.ok_or_else(|| ContractError::Failed("the address of the old federation is none".into()))?;
    Ok(pay_to_script_hash(&hash))
}

/// True when any input spends an output with the script.
fn spends(transaction: &Transaction, output_script: &[u8]) -> Result<bool, ContractError> {
    for index in 0..transaction.inputs.len() {
        if input_spends(transaction, index, output_script)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn input_spends(transaction: &Transaction, index: usize, output_script: &[u8]) -> Result<bool, ContractError> {
    let outcome = correctly_spends(transaction, index, output_script).map(|()| true);
    caught(outcome, false).map_err(thrown)
}

/// True when no input spends from the federations, and the outputs to them reach the minimum. From RSKIP293 on, this
/// also holds when there is no such output.
fn is_valid_pegin(
    frame: &Frame<'_>,
    transaction: &Transaction,
    federations: &[&Federation],
    retired: Option<&[u8]>,
) -> Result<bool, ContractError> {
    for index in 0..transaction.inputs.len() {
        for federation in federations {
            if input_spends(transaction, index, &federation.output_script()?)? {
                return Ok(false);
            }
        }
        if let Some(retired) = retired
            && input_spends(transaction, index, retired)?
        {
            return Ok(false);
        }
        let redeem = redeem_script(transaction, index).map_err(thrown)?;
        if frame.active(Rule::Rskip201)
            && let Some(redeem) = redeem
            && is_of_members(redeem, federations, retired)?
        {
            return Ok(false);
        }
    }
    let scripts = federations.iter().map(|federation| federation.output_script()).collect::<Result<Vec<_>, _>>()?;
    let outputs = outputs_to(transaction, &scripts).map_err(thrown)?;
    let minimum = minimum(frame);
    Ok(if frame.active(Rule::Rskip293) {
        outputs.iter().all(|output| output.value >= minimum)
    } else {
        value(&outputs) >= minimum
    })
}

/// True when the members' part of a redeem script is that of one of the federations, or of the one that retired last. The
/// hard-coded script of the test network has no such part, which ends the comparison.
fn is_of_members(redeem: &[u8], federations: &[&Federation], retired: Option<&[u8]>) -> Result<bool, ContractError> {
    let Some(standard) = caught(standard_script(redeem).map(Some), None).map_err(thrown)? else { return Ok(false) };
    for federation in federations {
        match federation.members_redeem_script() {
            Ok(members) if members == standard => return Ok(true),
            Ok(_) => {}
            Err(_) => return Ok(false),
        }
    }
    Ok(retired.is_some_and(|retired| retired == pay_to_script_hash(&hash160(&standard))))
}

fn standard_script(redeem: &[u8]) -> Result<Vec<u8>, ScriptError> {
    Script::parse(redeem)?.redeem_script()?.standard_script()
}

/// True when funds move from the retiring or last retired federation to the active one.
fn is_migration(
    frame: &Frame<'_>,
    federations: &LiveFederations,
    transaction: &Transaction,
) -> Result<bool, ContractError> {
    if federations.last_retired_script.is_none() && federations.retiring.is_none() {
        return Ok(false);
    }
    let mut scripts: Vec<Vec<u8>> = federations.last_retired_script.iter().cloned().collect();
    if let Some(retiring) = &federations.retiring {
        scripts.push(retiring.members_output_script()?);
    }
    let leaves = is_pegout(frame, transaction, &scripts)?;
    let arrives = is_valid_pegin(frame, transaction, &[&federations.active], None)?;
    Ok(leaves && arrives)
}

/// True when the redeem script of an input, from RSKIP201 on the members' part of it, hashes to one of the output
/// scripts.
fn is_pegout(frame: &Frame<'_>, transaction: &Transaction, scripts: &[Vec<u8>]) -> Result<bool, ContractError> {
    for index in 0..transaction.inputs.len() {
        let Some(redeem) = redeem_script(transaction, index).map_err(thrown)? else { continue };
        let hashed = if frame.active(Rule::Rskip201) {
            match caught(standard_script(redeem).map(Some), None).map_err(thrown)? {
                Some(standard) => standard,
                None => continue,
            }
        } else {
            Script::parse(redeem).and_then(|script| write_chunks(script.chunks())).map_err(thrown)?
        };
        let plain = pay_to_script_hash(&hash160(&hashed));
        let segwit = pay_to_script_hash(&hash160(&witness_program(&hashed)));
        if scripts.contains(&plain) || (frame.active(Rule::Rskip305) && scripts.contains(&segwit)) {
            return Ok(true);
        }
    }
    Ok(false)
}
