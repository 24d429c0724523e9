//! The outputs of a deposit.

use rhizome_bitcoin::{Script, Transaction};
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;

use crate::outcome::thrown;
use crate::pegin::outputs;
use crate::storage::Frame;
use crate::storage::utxos::Utxo;

/// The outputs to one of the scripts. Before RSKIP293 every output must pay to an address.
pub(super) fn outputs_to(
    frame: &Frame<'_>,
    transaction: &Transaction,
    scripts: &[Vec<u8>],
) -> Result<Vec<Utxo>, ContractError> {
    if !frame.active(Rule::Rskip293) {
        for output in &transaction.outputs {
            Script::parse(&output.script).and_then(|script| script.address(&frame.bridge().bitcoin)).map_err(thrown)?;
        }
    }
    outputs::outputs_to(transaction, scripts).map_err(thrown)
}
