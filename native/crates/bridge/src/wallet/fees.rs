//! Fees, dust and sizes as the wallet estimates them (bridge.md §4.6).

use rhizome_bitcoin::transaction::MAX_MONEY;
use rhizome_primitives::contract::ContractError;

use super::build_error::BuildError;
use super::coins::{Selection, candidates, pick, sorted};
use crate::storage::utxo_list::Utxos;
use crate::storage::utxos::Utxo;

/// Smallest fee per 1,000 bytes, and smallest fee where the wallet is emptied; satoshi.
const MIN_FEE_SATOSHI: i64 = 5_000;
/// Fee per 1,000 bytes that defines dust.
const DUST_FEE: i64 = 3 * MIN_FEE_SATOSHI;
/// Bytes that spending an output adds to a transaction, according to the dust rule.
const SPENDING: usize = 148;
/// Bytes of an input without script.
const INPUT: usize = 36 + 1 + 4;
/// Bytes of the script of an input that has a witness.
const WITNESS_PROGRAM_PUSH: usize = 36;

/// Length of a Bitcoin variable-length integer.
pub(crate) fn varint(value: usize) -> usize {
    match value {
        0..=0xfc => 1,
        0xfd..=0xffff => 3,
        0x1_0000..=0xffff_ffff => 5,
        _ => 9,
    }
}

/// Length of an output with a script of `script` bytes.
pub(crate) fn output_length(script: usize) -> usize {
    8 + varint(script) + script
}

/// Minimum amount of an output that is not dust.
pub(super) fn least_amount(script: &[u8]) -> i64 {
    DUST_FEE * (output_length(script.len()) + SPENDING) as i64 / 1_000
}

fn overflow() -> ContractError {
    ContractError::Failed("an amount overflows".into())
}

/// Fee of `size` bytes.
fn fee_of(fee_per_kb: i64, size: usize) -> Result<i64, ContractError> {
    Ok(fee_per_kb.checked_mul(size as i64).ok_or_else(overflow)? / 1_000)
}

/// The financing of a transaction.
pub(super) struct Payment<'u> {
    /// The outputs that it spends.
    pub(super) selection: Selection<'u>,
    /// Amounts of the requested outputs, less what they pay of the fee.
    pub(super) amounts: Vec<i64>,
    /// Amount of the change, if there is any.
    pub(super) change: Option<i64>,
}

/// The data that determine a payment.
pub(super) struct Request<'r> {
    /// Scripts and amounts of the requested outputs.
    pub(super) outputs: &'r [(Vec<u8>, i64)],
    pub(super) change_script: &'r [u8],
    pub(super) fee_per_kb: i64,
    /// True when the fee is deducted from the requested outputs; otherwise it is added to them.
    pub(super) recipients_pay: bool,
    pub(super) segwit: bool,
}

impl Request<'_> {
    /// Estimated size for `inputs` inputs with `signing` bytes of scripts.
    fn size(&self, inputs: usize, with_change: bool, signing: usize) -> usize {
        let change = with_change.then_some(self.change_script.len());
        let scripts = self.outputs.iter().map(|(script, _)| script.len()).chain(change);
        let outputs = self.outputs.len() + usize::from(with_change);
        let plain = transaction_length(inputs, outputs, scripts);
        if !self.segwit {
            return plain + signing;
        }
        let base = plain + WITNESS_PROGRAM_PUSH * inputs;
        (base + signing + 3 * base) / 4
    }

    /// Amount of the only output when all candidates are spent.
    pub(super) fn empty(
        &self,
        selection: &Selection<'_>,
        signing_bytes: &mut dyn FnMut(&Utxo) -> Result<usize, ContractError>,
    ) -> Result<i64, BuildError> {
        let size = self.size(selection.outputs.len(), false, signing_size(selection, signing_bytes)?);
        let fee = fee_of(self.fee_per_kb, size)?.max(MIN_FEE_SATOSHI);
        let amount = selection.sum.checked_sub(fee).ok_or_else(overflow)?;
        let least = self.outputs.first().map_or(0, |(script, _)| least_amount(script));
        if amount < least { Err(BuildError::CannotAdjust) } else { Ok(amount) }
    }

    /// Selects outputs of `utxos` and finds the fee: it grows until it covers the size.
    pub(super) fn pay<'u>(
        &self,
        utxos: &'u Utxos,
        signing_bytes: &mut dyn FnMut(&Utxo) -> Result<usize, ContractError>,
    ) -> Result<Payment<'u>, BuildError> {
        let in_order = candidates(utxos)?;
        let sorted = sorted(utxos);
        let requested = self.outputs.iter().try_fold(0_i64, |sum, (_, amount)| sum.checked_add(*amount));
        let requested = requested.ok_or_else(overflow)?;
        let fee_per_kb = self.fee_per_kb.max(MIN_FEE_SATOSHI);
        let mut fee = 0_i64;
        // The selection with the bytes that signing it takes; it stays the same while recipients pay.
        let mut selected: Option<(i64, Selection<'u>, Option<usize>)> = None;
        loop {
            let needed =
                if self.recipients_pay { requested } else { requested.checked_add(fee).ok_or_else(overflow)? };
            let mut amounts = self.amounts_after(fee)?;
            let (selection, signing) = match selected.take() {
                Some((target, selection, signing)) if target == needed => (selection, signing),
                _ => (pick(if needed == MAX_MONEY { &in_order } else { &sorted }, needed), None),
            };
            if selection.sum < needed {
                return Err(BuildError::InsufficientMoney);
            }
            let mut change = selection.sum.checked_sub(needed).ok_or_else(overflow)?;
            if change > 0 {
                super::coins::check_amount(change)?;
                let least = least_amount(self.change_script);
                if self.recipients_pay && change < least {
                    self.raise_change(least - change, &mut amounts)?;
                    change = least;
                }
                if change < least {
                    fee = fee.checked_add(change).ok_or_else(overflow)?;
                    change = 0;
                }
            }
            let signing = match signing {
                Some(bytes) => bytes,
                None => signing_size(&selection, signing_bytes)?,
            };
            let size = self.size(selection.outputs.len(), change > 0, signing);
            let fee_needed = fee_of(fee_per_kb, size)?;
            if fee >= fee_needed {
                return Ok(Payment { selection, amounts, change: (change > 0).then_some(change) });
            }
            fee = fee_needed;
            selected = Some((needed, selection, Some(signing)));
        }
    }

    /// Amounts of the requested outputs after they pay `fee`: each pays the same share, and the first also pays the
    /// remainder.
    fn amounts_after(&self, fee: i64) -> Result<Vec<i64>, BuildError> {
        let mut amounts = Vec::with_capacity(self.outputs.len());
        let outputs = self.outputs.len() as i64;
        for (index, (script, amount)) in self.outputs.iter().enumerate() {
            let mut amount = *amount;
            if self.recipients_pay {
                let share = if index == 0 { fee / outputs + fee % outputs } else { fee / outputs };
                amount = amount.checked_sub(share).ok_or_else(overflow)?;
                if least_amount(script) > amount {
                    return Err(BuildError::CannotAdjust);
                }
            }
            amounts.push(amount);
        }
        Ok(amounts)
    }

    /// Takes the missing amount of the change from the first requested output.
    fn raise_change(&self, missing: i64, amounts: &mut [i64]) -> Result<(), BuildError> {
        let (Some((script, _)), Some(first)) = (self.outputs.first(), amounts.first_mut()) else {
            return Err(ContractError::Failed("no output is requested".into()).into());
        };
        *first = first.checked_sub(missing).ok_or_else(overflow)?;
        if *first < least_amount(script) { Err(BuildError::CannotAdjust) } else { Ok(()) }
    }
}

/// Length of a transaction without witnesses whose inputs have no scripts.
fn transaction_length(inputs: usize, outputs: usize, scripts: impl Iterator<Item = usize>) -> usize {
    let outputs = varint(outputs) + scripts.map(output_length).sum::<usize>();
    4 + varint(inputs) + INPUT * inputs + outputs + 4
}

fn signing_size(
    selection: &Selection<'_>,
    signing_bytes: &mut dyn FnMut(&Utxo) -> Result<usize, ContractError>,
) -> Result<usize, ContractError> {
    selection.outputs.iter().try_fold(0, |sum, utxo| Ok(sum + signing_bytes(utxo)?))
}
