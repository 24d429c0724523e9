//! Selection of outputs to spend (bridge.md §4.6).

use std::collections::HashSet;

use rhizome_bitcoin::Transaction;
use rhizome_bitcoin::transaction::MAX_MONEY;
use rhizome_primitives::contract::ContractError;

use super::WalletKeys;
use crate::storage::utxo_list::Utxos;
use crate::storage::utxos::Utxo;

/// Blocks after which the output of a coinbase may be spent.
const COINBASE_DEPTH: i32 = 100;

/// Selected outputs and their sum.
pub(super) struct Selection<'u> {
    pub(super) outputs: Vec<&'u Utxo>,
    pub(super) sum: i64,
}

/// The outputs that may be spent, in stored order. Those of a coinbase are excluded: the reference's depth of an output
/// at height zero overflows.
///
/// # Errors
/// [`ContractError::Failed`] when an output has an impossible amount.
pub(super) fn candidates(utxos: &[Utxo]) -> Result<Vec<&Utxo>, ContractError> {
    let candidates: Vec<_> = utxos.iter().filter(is_mature).collect();
    for utxo in &candidates {
        check_amount(utxo.value)?;
    }
    Ok(candidates)
}

/// Amounts with which the library refuses to create an output. The value -1 is used in signature hashes.
pub(super) fn check_amount(value: i64) -> Result<(), ContractError> {
    if (-1..=MAX_MONEY).contains(&value) {
        Ok(())
    } else {
        Err(ContractError::Failed("an output of an impossible amount".into()))
    }
}

fn is_mature(utxo: &&Utxo) -> bool {
    let depth = i32::MAX.wrapping_sub(utxo.height).wrapping_add(1);
    !utxo.coinbase || depth >= COINBASE_DEPTH
}

/// The candidates sorted for selection: by id of the transaction, then by index.
pub(super) fn sorted(utxos: &Utxos) -> Vec<&Utxo> {
    utxos.in_order().filter(is_mature).collect()
}

/// The first outputs whose sum reaches `target`, or all.
pub(super) fn pick<'u>(candidates: &[&'u Utxo], target: i64) -> Selection<'u> {
    let mut selection = Selection { outputs: Vec::new(), sum: 0 };
    for utxo in candidates {
        if selection.sum >= target {
            break;
        }
        selection.outputs.push(utxo);
        selection.sum = selection.sum.wrapping_add(utxo.value);
    }
    selection
}

/// Spendable amount of the outputs, satoshi.
///
/// # Errors
/// [`ContractError::Failed`] when an output has an impossible amount.
pub fn balance(utxos: &[Utxo]) -> Result<i64, ContractError> {
    Ok(pick(&candidates(utxos)?, MAX_MONEY).sum)
}

/// Removes the outputs that a transaction spends from a list.
pub(crate) fn remove_spent(utxos: &mut Vec<Utxo>, transaction: &Transaction) {
    let spent: HashSet<_> = transaction.inputs.iter().map(|input| input.previous).collect();
    utxos.retain(|utxo| !spent.contains(&rhizome_bitcoin::OutPoint { txid: utxo.transaction, index: utxo.index }));
}

/// The outputs of a transaction that the keys can spend, in registered form.
///
/// # Errors
/// As for [`WalletKeys::redeem_script`].
pub(crate) fn outputs_of(transaction: &Transaction, keys: &mut dyn WalletKeys) -> Result<Vec<Utxo>, ContractError> {
    let txid = transaction.txid();
    let mut utxos = Vec::new();
    for (index, output) in transaction.outputs.iter().enumerate() {
        if keys.owns(&output.script)? {
            utxos.push(Utxo {
                value: output.value,
                script: output.script.clone().into(),
                transaction: txid,
                index: index as u32,
                height: 0,
                coinbase: transaction.is_coinbase(),
            });
        }
    }
    Ok(utxos)
}
