//! Fly-over: a contract of liquidity providers receives the RBTC of a deposit to an address of its own (RSKIP176,
//! bridge.md §4.4).

mod outputs;

use alloy_primitives::keccak256;
use rhizome_bitcoin::address::Address as BitcoinAddress;
use rhizome_bitcoin::{Transaction, display_hash};
use rhizome_primitives::contract::{ContractContext, ContractError};
use rhizome_primitives::rules::Rule;
use rhizome_primitives::{Address, B256, U256};

use crate::federation::Federation;
use crate::headers::proof::validate_proof;
use crate::money;
use crate::outcome::Stop;
use crate::outcome::thrown;
use crate::pegin::lock::{is_under_cap, pay};
use crate::pegin::minimum::minimum;
use crate::pegin::outputs::value;
use crate::pegin::parse;
use crate::pegout::{Refund, refund_flyover};
use crate::storage::Frame;
use crate::storage::flyover::FlyoverFederation;
use outputs::outputs_to;

/// A deposit as it is reported to the Bridge.
pub(crate) struct Deposit<'a> {
    /// The Bitcoin transaction.
    pub(crate) raw: &'a [u8],
    /// Height of its block.
    pub(crate) height: i32,
    /// Its proof, a partial Merkle tree.
    pub(crate) proof: &'a [u8],
    /// Hash of the parties' agreement.
    pub(crate) arguments_hash: B256,
    /// Refund address of the user.
    pub(crate) user_refund: BitcoinAddress,
    /// The contract of the liquidity providers.
    pub(crate) contract: Address,
    /// Refund address of the liquidity provider.
    pub(crate) provider: BitcoinAddress,
    /// True when a rejected deposit goes to the provider and not to the user.
    pub(crate) refund_to_provider: bool,
}

/// Result codes (bridge.md §1.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    RefundedUser = -100,
    RefundedProvider = -200,
    NotAContract = -300,
    WrongSender = -301,
    AlreadyProcessed = -302,
    NotProven = -303,
    ZeroValue = -304,
    BelowMinimum = -305,
    Generic = -900,
}

/// The result of the method.
pub(crate) enum Answer {
    /// Amount that the contract received.
    Wei(U256),
    /// Reason why it received nothing.
    Code(Code),
}

/// A federation's part of a deposit: the hash in the output script, the record that is stored under it, and the output
/// script.
struct Target {
    script_hash: [u8; 20],
    stored: FlyoverFederation,
    script: Vec<u8>,
}

impl Target {
    fn of(federation: &Federation, derivation_hash: B256) -> Result<Self, ContractError> {
        let stored = FlyoverFederation { derivation_hash, federation_script_hash: federation.script_hash()?.to_vec() };
        let script_hash = federation.flyover_script_hash(derivation_hash)?;
        Ok(Self { script_hash, stored, script: federation.flyover_output_script(derivation_hash)? })
    }
}

/// Registers a deposit.
///
/// # Errors
/// [`Stop`] where the reference throws; the caller then returns [`Code::Generic`] and saves.
pub(crate) fn register(
    context: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    deposit: &Deposit<'_>,
) -> Result<Answer, Stop> {
    if !context.from_contract {
        return Ok(Answer::Code(Code::NotAContract));
    }
    if context.sender != deposit.contract {
        return Ok(Answer::Code(Code::WrongSender));
    }
    let hash = display_hash(deposit.raw);
    let derivation_hash = derivation_hash(frame, deposit);
    if frame.flyover_used(hash, derivation_hash)? {
        return Ok(Answer::Code(Code::AlreadyProcessed));
    }
    if !validate_proof(frame, deposit.raw, hash, deposit.height, deposit.proof)? {
        return Ok(Answer::Code(Code::NotProven));
    }
    let transaction = parse(deposit.raw)?;
    let txid = transaction.txid();
    if txid != hash && frame.flyover_used(txid, derivation_hash)? {
        return Ok(Answer::Code(Code::AlreadyProcessed));
    }
    let targets = targets(frame, derivation_hash)?;
    let scripts: Vec<_> = targets.iter().map(|target| target.script.clone()).collect();
    let utxos = outputs_to(frame, &transaction, &scripts)?;
    let satoshi = value(&utxos);
    if satoshi == 0 {
        return Ok(Answer::Code(Code::ZeroValue));
    }
    let minimum = minimum(frame);
    if frame.active(Rule::Rskip293) && utxos.iter().any(|utxo| utxo.value < minimum) {
        return Ok(Answer::Code(Code::BelowMinimum));
    }
    if is_under_cap(frame, satoshi)? {
        pay(frame, deposit.contract, satoshi)?;
        keep(frame, &transaction, targets)?;
        return Ok(Answer::Wei(money::wei(satoshi)));
    }
    frame.mark_flyover_used(txid, derivation_hash);
    if let [active, retiring] = &targets[..]
        && active.script_hash == retiring.script_hash
    {
        return Err(thrown("two federations with one fly-over address").into());
    }
    let (destination, code) = match deposit.refund_to_provider {
        true => (deposit.provider, Code::RefundedProvider),
        false => (deposit.user_refund, Code::RefundedUser),
    };
    let refund = Refund { transaction: &transaction, destination, rsk_hash: context.origin_hash, satoshi };
    let deposits: Vec<_> = targets.into_iter().map(|target| (target.script_hash, target.stored)).collect();
    refund_flyover(frame, &refund, derivation_hash, utxos, &deposits)?;
    Ok(Answer::Code(code))
}

/// The hash that makes the address of a deposit differ from that of the federation.
fn derivation_hash(frame: &Frame<'_>, deposit: &Deposit<'_>) -> B256 {
    let rskip284 = frame.active(Rule::Rskip284);
    let mut data = deposit.arguments_hash.to_vec();
    data.extend(deposit.user_refund.to_bytes(rskip284));
    data.extend(deposit.contract);
    data.extend(deposit.provider.to_bytes(rskip284));
    keccak256(data)
}

/// The active federation and, from RSKIP293 on, the retiring one.
fn targets(frame: &mut Frame<'_>, derivation_hash: B256) -> Result<Vec<Target>, ContractError> {
    let mut targets = vec![Target::of(&frame.active_federation()?, derivation_hash)?];
    if let Some(retiring) = frame.retiring_federation()?
        && frame.active(Rule::Rskip293)
    {
        targets.push(Target::of(&retiring, derivation_hash)?);
    }
    Ok(targets)
}

/// Marks the deposit as used, and stores its outputs with the data needed to spend them.
fn keep(frame: &mut Frame<'_>, transaction: &Transaction, targets: Vec<Target>) -> Result<(), ContractError> {
    let txid = transaction.txid();
    let mut targets = targets.into_iter();
    if let Some(active) = targets.next() {
        let utxos = outputs_to(frame, transaction, &[active.script])?;
        frame.mark_flyover_used(txid, active.stored.derivation_hash);
        frame.set_flyover_federation(active.script_hash, active.stored);
        frame.active_utxos()?.extend(utxos);
    }
    if let Some(retiring) = targets.next() {
        let outputs = outputs_to(frame, transaction, &[retiring.script])?;
        if !outputs.is_empty() {
            frame.set_flyover_retiring_federation(retiring.script_hash, retiring.stored);
            if let Some(utxos) = frame.retiring_utxos()? {
                utxos.extend(outputs);
            }
        }
    }
    Ok(())
}
