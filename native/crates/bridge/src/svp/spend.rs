//! The transaction with which the members of a proposed federation show that they can sign (bridge.md §4.7).

use std::borrow::Cow;

use rhizome_bitcoin::script::builder::pay_to_script_hash;
use rhizome_bitcoin::{Input, OutPoint, Output, Script, Transaction};
use rhizome_primitives::bridge_spec::PROPOSED_FEDERATION_FLYOVER_PREFIX;
use rhizome_primitives::contract::{ContractContext, ContractError};

use crate::events::pegout::release_requested;
use crate::federation::Federation;
use crate::pegout::report_inputs;
use crate::storage::Frame;
use crate::wallet::Release;
use crate::wallet::size::pegout_size;

const VERSION: u32 = 2;
/// Number of inputs and of outputs of the transaction.
const INPUTS: usize = 2;
const OUTPUTS: usize = 1;
/// A negative value that the reference lets an output have.
const NO_VALUE: i64 = -1;

fn failed<T>(reason: &str) -> Result<T, ContractError> {
    Err(ContractError::Failed(reason.into()))
}

/// Builds the transaction from the funding one; it waits for the signatures of the proposed federation. Does nothing
/// when the funding transaction has no output for the federation.
pub(super) fn create(
    context: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    proposed: &Federation,
    fund: &Transaction,
) -> Result<(), ContractError> {
    let Some(funds) = funds(proposed, fund)? else { return Ok(()) };
    let input_values = funds.iter().map(|fund| fund.value).collect();
    let release = Release { transaction: build(frame, proposed, funds)?, input_values };
    let id = release.transaction.txid();
    let amount = release.transaction.outputs.first().map_or(0, |output| output.value);
    frame.set_svp_spend_unsigned(Some(id));
    frame.set_svp_spend_waiting(Some((context.transaction_hash, release.transaction.clone())));
    frame.set_svp_fund_signed(None);
    release_requested(frame, context.transaction_hash, id, amount);
    report_inputs(frame, &release)
}

/// An output of the funding transaction for the proposed federation.
struct Fund<'a> {
    previous: OutPoint,
    value: i64,
    redeem_script: Cow<'a, [u8]>,
}

/// The output to the federation itself, and the one to its fly-over address.
fn funds<'a>(proposed: &'a Federation, fund: &Transaction) -> Result<Option<[Fund<'a>; INPUTS]>, ContractError> {
    let txid = fund.txid();
    let find = |script: &[u8], redeem_script| match output(fund, script)? {
        Some((index, value)) => Ok(Some(Fund { previous: OutPoint { txid, index }, value, redeem_script })),
        None => Ok::<_, ContractError>(None),
    };
    let Some(plain) = find(&proposed.output_script()?, proposed.redeem_script()?.into())? else { return Ok(None) };
    let prefix = PROPOSED_FEDERATION_FLYOVER_PREFIX;
    let flyover = find(&proposed.flyover_output_script(prefix)?, proposed.flyover_redeem_script(prefix)?.into())?;
    Ok(flyover.map(|flyover| [plain, flyover]))
}

/// Index and value of the first output with a script. The reference also parses the outputs before it.
fn output(transaction: &Transaction, script: &[u8]) -> Result<Option<(u32, i64)>, ContractError> {
    for (index, output) in transaction.outputs.iter().enumerate() {
        if Script::parse(&output.script).is_err() {
            return failed("an output script of the funding transaction does not parse");
        }
        if output.script == script {
            return Ok(Some((index as u32, output.value)));
        }
    }
    Ok(None)
}

fn build(
    frame: &mut Frame<'_>,
    proposed: &Federation,
    funds: [Fund<'_>; INPUTS],
) -> Result<Transaction, ContractError> {
    let mut transaction = Transaction::new(VERSION);
    let mut sum = 0_i64;
    for fund in funds {
        let mut input = Input::new(fund.previous);
        proposed.prepare_input(&mut input, &fund.redeem_script)?;
        transaction.inputs.push(input);
        sum = sum.checked_add(fund.value).ok_or_else(overflow)?;
    }
    let value = sum.checked_sub(fee(frame, proposed)?).ok_or_else(overflow)?;
    if value < NO_VALUE {
        return failed("the fee exceeds the funds of the validation");
    }
    let script = pay_to_script_hash(&frame.active_federation()?.script_hash()?);
    transaction.outputs.push(Output { value, script });
    Ok(transaction)
}

/// The fee of a transaction that is a fifth larger than the estimate.
fn fee(frame: &mut Frame<'_>, proposed: &Federation) -> Result<i64, ContractError> {
    let size = pegout_size(frame.rules, proposed, INPUTS, OUTPUTS)? as i64 * 12 / 10;
    Ok(frame.fee_per_kb()?.checked_mul(size).ok_or_else(overflow)? / 1000)
}

fn overflow() -> ContractError {
    ContractError::Failed("an amount overflows".into())
}
