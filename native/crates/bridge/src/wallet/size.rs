//! Estimated size of a peg-out transaction (bridge.md §4.3).

use rhizome_primitives::bridge_spec::FederationFormat;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::{Rule, RuleSet};

use super::fees::{output_length, varint};
use crate::federation::Federation;

/// Bytes of a serialised signature, in both the legacy and the later estimate.
const SIGNATURE: usize = 72;
/// Length of a script that pays to a script hash.
const SCRIPT_HASH_SCRIPT: usize = 23;

/// Bytes, or virtual bytes under a segwit federation, of a transaction that spends `inputs` outputs of the federation
/// and creates `outputs`.
///
/// # Errors
/// [`ContractError::Failed`] without inputs or outputs, and when the federation has no redeem script.
pub fn pegout_size(
    rules: RuleSet,
    federation: &Federation,
    inputs: usize,
    outputs: usize,
) -> Result<usize, ContractError> {
    if inputs == 0 || outputs == 0 {
        return Err(ContractError::Failed("a peg-out has inputs and outputs".into()));
    }
    let redeem = federation.redeem_script()?.len();
    let signatures = federation.threshold() * SIGNATURE;
    if !rules.active(Rule::Rskip271) {
        return Ok(4 + (signatures + redeem + 1 + 40) * inputs + (25 + 1 + 9) * outputs);
    }
    let outer = 4 + varint(outputs) + output_length(SCRIPT_HASH_SCRIPT) * outputs + 4;
    if federation.format == FederationFormat::P2shP2wshErp {
        // The estimate serialises no inputs and adds the script signature of each by hand.
        let base = outer + varint(0) + 36 * inputs;
        let total = base + signatures * inputs + redeem * inputs;
        return Ok((total + 3 * base) / 4);
    }
    let input = 36 + varint(redeem) + redeem + 4;
    Ok(outer + varint(inputs) + input * inputs + signatures * inputs)
}
